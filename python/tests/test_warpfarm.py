"""On a farm: WARPFARM_TEST_TRACKER names it, WARPFARM_TEST_COMMAND is the warpfarm command as JSON; the folder has cubins and PTX."""

import json
import os
import pathlib
import struct
import unittest
from types import SimpleNamespace

import warpfarm
from warpfarm.programs import number_text

TRACKER = os.environ["WARPFARM_TEST_TRACKER"]
COMMAND = json.loads(os.environ["WARPFARM_TEST_COMMAND"])
HERE = pathlib.Path.cwd()
TENSORS = [warpfarm.Tensor("c", "float32", [64], role="out"), warpfarm.Tensor("a", "float32", [64])]
ARGS = ["c", "a", warpfarm.Scalar("int32", 64)]


class Numbers:
    """As much of NumPy's array as is asked for."""

    def __init__(self, dtype, values):
        self.dtype, self._values = dtype, list(values)
        self.shape = (len(self._values),)

    def tobytes(self):
        letter = {"float32": "f", "float64": "d"}[self.dtype]
        return struct.pack(f"<{len(self._values)}{letter}", *self._values)


def kernel(entry="add"):
    return warpfarm.Kernel(entry, grid=(2, 3), block=(64,), args=ARGS)


class Programs(unittest.TestCase):
    def test_golden_document_keeps_its_bytes_and_its_name(self):
        golden = pathlib.Path(os.environ["WARPFARM_TEST_GOLDEN"])
        program = warpfarm.document(json.loads((golden / "program.json").read_bytes()))
        self.assertEqual(program.bytes, (golden / "program.json").read_bytes())
        self.assertEqual(program.digest, "sha256:" + (golden / "program.sha256").read_text().strip())

    def test_numbers_are_spelled_as_ecmascript_spells_them(self):
        for number, text in json.loads((HERE / "numbers.json").read_text()):
            self.assertEqual(number_text(number), text)


class Measuring(unittest.TestCase):
    def test_ptx_cubin_and_text_are_measured_and_a_fault_is_told(self):
        ptx = warpfarm.ptx((HERE / "k.ptx").read_text(), "cuda/sm_90", [kernel()], TENSORS, flags=["-O2"])
        cubin = warpfarm.cubin((HERE / "k.cubin").read_bytes(), "cuda/sm_90", [kernel()], TENSORS)
        text = 'extern "C" __global__ void add(float *c, const float *a, int n) { c[threadIdx.x] = X * a[threadIdx.x]; }'
        cuda = warpfarm.cuda({"k.cu": text}, "cuda/sm_90", [kernel()], TENSORS, defines={"X": 2})
        wrong = warpfarm.ptx("nothing", "cuda/sm_90", [kernel()], TENSORS)
        other = warpfarm.cubin((HERE / "k.cubin").read_bytes(), "cuda/sm_90", [kernel("sub")], TENSORS)
        with warpfarm.Farm(TRACKER) as farm:
            found = dict(farm.measure_all([ptx, cubin, cuda, wrong, other], reference=ptx))
            alone = farm.measure(cuda, min_repeat_seconds=0, number=1, repeat=5, l2="flushed", timer="events")
        self.assertEqual(sorted(found), [0, 1, 2, 3, 4])
        for i in range(3):
            self.assertTrue(found[i].ok, found[i])
            self.assertGreater(found[i].seconds, 0)
        self.assertEqual([found[3].ok, found[3].error], [False, "COMPILE_DEVICE"])
        self.assertIn("kernel.ptx, line 1", found[3].message + found[3].log)
        self.assertIn("there is no kernel sub in the code; there are add", found[4].message)
        self.assertTrue(alone.ok)

    def test_folders_of_headers_travel_once_as_bundles(self):
        headers = warpfarm.bundle(HERE / "headers")
        self.assertEqual(headers.digest, os.environ["WARPFARM_TEST_BUNDLE"])
        text = '#include <lib/twice.hpp>\nextern "C" __global__ void add(float *c, const float *a, int n) { c[threadIdx.x] = twice(a[threadIdx.x]); }'
        program = warpfarm.cuda({"k.cu": text}, "cuda/sm_90", [kernel()], TENSORS, bundles=[headers])
        self.assertEqual(json.loads(program.bytes)["version"], 1)
        bare = warpfarm.cuda({"k.cu": text}, "cuda/sm_90", [kernel()], TENSORS)
        with warpfarm.Farm(TRACKER) as farm:
            found = farm.measure(program)
            self.assertTrue(found.ok, found)
            self.assertTrue(farm.measure(program, reference=program).ok)
            self.assertEqual(farm.measure(bare).error, "COMPILE_DEVICE")
        for folder, why in (("nothing", "is no folder"), ("golden", "has no headers")):
            with self.assertRaisesRegex(ValueError, why):
                warpfarm.bundle(HERE / folder)

    def test_arrays_fill_inputs_and_are_what_outputs_are_compared_with(self):
        numbers = Numbers("float32", range(64))
        filled = [TENSORS[0], warpfarm.Tensor("a", "float32", [64], fill=numbers)]
        ptx = warpfarm.ptx((HERE / "k.ptx").read_text(), "cuda/sm_90", [kernel()], filled)
        reference = warpfarm.outputs("cuda/sm_90", filled, {"c": numbers})
        [_, given] = json.loads(ptx.bytes)["args"]
        self.assertEqual(given["fill"], {"kind": "blob", "digest": warpfarm.Blob(numbers.tobytes()).digest})
        self.assertEqual([json.loads(each.bytes)["version"] for each in (ptx, reference)], [1, 1])
        self.assertEqual(json.loads(reference.bytes)["args"][2]["name"], "recorded_c")
        with warpfarm.Farm(TRACKER) as farm:
            found = farm.measure(ptx, reference=reference)
        self.assertTrue(found.ok, found)

    def test_arrays_that_do_not_fit_are_refused_with_the_tensor(self):
        for array, why in (
            (Numbers("float64", range(64)), r"tensor a is float32\[64\]; the array is float64\[64\]"),
            (Numbers("float32", range(9)), r"tensor a is float32\[64\]; the array is float32\[9\]"),
            ([1.0] * 64, "tensor a: list is no array"),
        ):
            with self.assertRaisesRegex((ValueError, TypeError), why):
                warpfarm.Tensor("a", "float32", [64], fill=array).json()
        with self.assertRaisesRegex(ValueError, "arrays are given for d; the outputs are c"):
            warpfarm.outputs("cuda/sm_90", TENSORS, {"d": Numbers("float32", range(64))})

    def test_what_a_farm_refuses_is_an_error_with_the_code(self):
        program = warpfarm.document({"version": 99, "kind": "ptx", "target": "cuda/sm_90"})
        with warpfarm.Farm(TRACKER) as farm, self.assertRaises(warpfarm.FarmError) as refused:
            farm.measure(program)
        self.assertEqual(refused.exception.code, "INVALID_ARGUMENT")
        self.assertIn("version is 99", str(refused.exception))


class Tuning(unittest.TestCase):
    def test_a_search_is_the_commands(self):
        farm = warpfarm.Farm(TRACKER, command=COMMAND)
        flags = ["--trials", "3", "--finalists", "0", "--tuner", "grid", "--log", "python.jsonl"]
        report = farm.tune("./vector_add.cu", flags=flags)
        self.assertEqual(report["trials"], 3)
        with self.assertRaises(warpfarm.FarmError) as refused:
            farm.tune("./nothing.cu")
        self.assertEqual(refused.exception.code, 2)


class Config:
    def __init__(self, **kwargs):
        self.kwargs = kwargs

    def all_kwargs(self):
        return {**self.kwargs, "num_warps": 2}


class Array:
    """What is asked of a tensor."""

    def __init__(self, shape, strides):
        self.shape, self._strides, self.dtype = shape, strides, "torch.float32"

    def stride(self):
        return self._strides

    def numel(self):
        return self.shape[0] * self.shape[1]


class Autotuner:
    """As much of Triton's as the decorator uses: it compiles what the folder holds and refuses blocks of 512."""

    def __init__(self):
        self.arg_names = ["c", "a", "n", "BLOCK"]
        self.keys = ["n"]
        self.configs = [Config(BLOCK=block) for block in (32, 512, 64, 128)]
        self.cache, self.launched, self.fn = {}, [], self

    def warmup(self, *args, grid, BLOCK, num_warps):
        if BLOCK == 512:
            raise ValueError("out of shared memory")
        meta = SimpleNamespace(
            name="add", num_warps=num_warps, shared=16 * BLOCK, cluster_dims=(1, 1, 1), target=SimpleNamespace(arch=90)
        )
        signature = {"c": "*fp32", "a": "*fp32", "n": "i32", "BLOCK": "constexpr"}
        asm = {"cubin": (HERE / "triton.cubin").read_bytes(), "ptx": (HERE / "triton.ptx").read_text()}
        return SimpleNamespace(metadata=meta, src=SimpleNamespace(signature=signature), asm=asm)

    def run(self, *args, grid, warmup, **kwargs):
        self.launched.append(self.cache[(64, "torch.float32", "torch.float32")].kwargs)


class Triton(unittest.TestCase):
    def test_the_fastest_config_of_the_farm_is_the_one_that_is_launched(self):
        autotuner = Autotuner()
        tuned = warpfarm.tune(TRACKER, outputs=["c"])(autotuner)
        args = (Array((8, 8), (8, 1)), Array((4, 8), (16, 1)), 64)
        best = tuned.best_config(*args, grid=lambda meta: (-(-meta["n"] // meta["BLOCK"]), 1, 1))
        self.assertEqual(autotuner.launched, [])
        timed = [(trial.result.seconds, trial.config) for trial in tuned.trials if trial.result is not None]
        self.assertEqual(len(timed), 3)
        self.assertEqual(best, min(timed, key=lambda each: each[0])[1])
        self.assertEqual([trial.message for trial in tuned.trials if trial.result is None], ["ValueError: out of shared memory"])
        tuned[(2,)](*args)
        self.assertEqual(autotuner.launched, [best.kwargs])

    def test_the_program_is_the_launch_that_triton_would_make(self):
        compiled = Autotuner().warmup(grid=(2,), BLOCK=64, num_warps=2)
        named = {"c": Array((8, 8), (8, 1)), "a": Array((4, 8), (16, 1)), "n": 64}
        program = json.loads(warpfarm.triton_tuner.program_of(compiled, named, (2,), ["c"]).bytes)
        [launch] = program["kernels"]
        self.assertEqual([launch["grid"], launch["block"], launch["shared_bytes"]], [[2, 1, 1], [64, 1, 1], 1024])
        null = {"scalar": "int64", "value": "0"}
        self.assertEqual(launch["args"], ["c", "a", {"scalar": "int32", "value": "64"}, null])
        self.assertEqual([(t["name"], t["shape"], t["role"]) for t in program["args"]], [("c", [64], "out"), ("a", [56], "in")])

    def test_clusters_scratch_and_zeroed_outputs_are_launched_as_triton_does(self):
        compiled = Autotuner().warmup(grid=(2,), BLOCK=64, num_warps=2)
        meta = compiled.metadata
        meta.num_ctas, meta.cluster_dims, meta.global_scratch_size = 2, (2, 1, 1), 128
        compiled.src.signature.update(c="*fp32", a="*kfp32", n="u32")
        named = {"c": Array((8, 8), (8, 1)), "a": Array((4, 8), (16, 1)), "n": 2**32 - 1}
        launch, tensors = warpfarm.triton_tuner.launch_of(compiled, named, (3, 5), ["c"], {"c": "zeros"}, {"c": (0.5, 0.0)})
        said = launch.json()
        self.assertEqual([said["grid"], said["cluster"]], [[6, 5, 1], [2, 1, 1]])
        self.assertEqual(said["args"], ["c", "a", {"scalar": "int32", "value": "-1"}, "global_scratch"])
        self.assertEqual(
            [(t.name, t.dtype, list(t.shape), t.role, t.fill, t.tolerance) for t in tensors],
            [
                ("c", "float32", [64], "inout", "zeros", (0.5, 0.0)),
                ("a", "float32", [56], "in", None, None),
                ("global_scratch", "uint8", [128 * 30], "workspace", None, None),
            ],
        )
        meta.launch_cooperative_grid = True
        cooperative, _ = warpfarm.triton_tuner.launch_of(compiled, named, (3, 5), ["c"])
        self.assertEqual([said.get("cooperative"), cooperative.json()["cooperative"]], [None, True])
        program = warpfarm.cubin(b"", "cuda/sm_90", [cooperative], tensors)
        self.assertEqual(json.loads(program.bytes)["version"], 1)

    def test_pruning_is_tritons_and_one_config_is_measured_nowhere(self):
        autotuner = Autotuner()
        args = (Array((8, 8), (8, 1)), Array((4, 8), (16, 1)), 64)
        autotuner.prune_configs = lambda kwargs: [c for c in autotuner.configs if c.kwargs["BLOCK"] < autotuner.nargs["n"]]
        autotuner.reset_to_zero = ["c"]
        tuned = warpfarm.tune(TRACKER, outputs=["c"])(autotuner)
        self.assertEqual(tuned.best_config(*args, grid=(2,)).kwargs, {"BLOCK": 32})
        self.assertEqual([trial.config.kwargs["BLOCK"] for trial in tuned.trials], [32])
        self.assertIsNone(autotuner.nargs)
        alone = Autotuner()
        alone.configs = alone.configs[:1]
        self.assertIs(warpfarm.tune("127.0.0.1:1", outputs=["c"])(alone).best_config(*args, grid=(2,)), alone.configs[0])

    def test_outputs_that_are_none_are_told(self):
        compiled = Autotuner().warmup(grid=(2,), BLOCK=64, num_warps=2)
        named = {"c": Array((8, 8), (8, 1)), "a": Array((4, 8), (16, 1)), "n": 64}
        with self.assertRaisesRegex(ValueError, "outputs names d; the kernel's tensors are c, a"):
            warpfarm.triton_tuner.program_of(compiled, named, (2,), ["d"])


if __name__ == "__main__":
    unittest.main()
