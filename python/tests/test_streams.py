"""Without a farm: streams of a scripted farm, and programs with their data."""

import json
import pathlib
import tempfile
import unittest
from concurrent import futures
from types import SimpleNamespace
from unittest import mock

import grpc
import warpfarm
from warpfarm.artifact.v1 import artifact_service_pb2 as artifact_pb2
from warpfarm.artifact.v1 import artifact_service_pb2_grpc as artifact_grpc
from warpfarm.blobs import Blob, bundle, values_of
from warpfarm.farm.v1 import farm_service_pb2 as farm_pb2
from warpfarm.farm.v1 import farm_service_pb2_grpc as farm_grpc
from warpfarm.measure.v1 import measure_pb2
from warpfarm.triton_tuner import _key_of


class ScriptedFarm(farm_grpc.FarmServiceServicer, artifact_grpc.ArtifactServiceServicer):
    """Plays one script a Measure stream: a generator over the stream's requests. It notes what it is told."""

    def __init__(self, *scripts, most=64, refusals=()):
        self.scripts, self.most, self.refusals = list(scripts), most, list(refusals)
        self.openings, self.starts, self.inputs, self.receipts, self.closed = [], [], [], [], []
        self.asked, self.uploads, self.there = [], [], set()
        self.done, self.in_flight = 0, []

    def OpenSession(self, request, context):
        self.openings.append(request)
        if self.refusals:
            context.abort(*self.refusals.pop(0))
        return farm_pb2.OpenSessionResponse(session_id="s-1", max_in_flight=self.most)

    def CloseSession(self, request, context):
        self.closed.append(request.session_id)
        return farm_pb2.CloseSessionResponse()

    def Measure(self, requests, context):
        self.starts.append(next(requests).start)
        self.done = self.starts[-1].resume_after
        self.inputs.append([])
        yield from self.scripts.pop(0)(self, requests, context)

    def Stat(self, request, context):
        self.asked.append(list(request.digests))
        return artifact_pb2.StatResponse(blobs=[{"digest": digest} for digest in request.digests if digest in self.there])

    def Upload(self, requests, context):
        header = next(requests).header
        self.uploads.append((header.size, sum(len(each.chunk) for each in requests)))
        return artifact_pb2.UploadResponse()

    def take(self, requests, count):
        """Reads until so many inputs have come; receipts between them are noted."""
        while len(self.inputs[-1]) < count:
            request = next(requests)
            if request.WhichOneof("kind") == "input":
                self.inputs[-1].append(request.input)
                self.in_flight.append(request.input.sequence - self.done)
            else:
                self.receipts.append(request.receipt)
                self.done = request.receipt.received_through + len(request.receipt.received)


def accepted(through):
    return farm_pb2.MeasureResponse(accepted={"accepted_through": through})


def timed(sequence):
    result = measure_pb2.MeasureResult(timed={"costs": [sequence, sequence + 2, sequence + 0.5], "checked": True, "artifact": f"a{sequence}"})
    return farm_pb2.MeasureResponse(result={"sequence": sequence, "result": result})


class Streams(unittest.TestCase):
    def farm(self, *scripts, **options):
        scripted = ScriptedFarm(*scripts, **options)
        server = grpc.server(futures.ThreadPoolExecutor(4))
        farm_grpc.add_FarmServiceServicer_to_server(scripted, server)
        artifact_grpc.add_ArtifactServiceServicer_to_server(scripted, server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        self.addCleanup(lambda: server.stop(None).wait())
        farm = warpfarm.Farm(f"127.0.0.1:{port}")
        self.addCleanup(farm.close)
        return scripted, farm

    def programs(self, count):
        return [warpfarm.document({"version": 1, "kind": "ptx", "target": "cuda/sm_90a", "n": n}) for n in range(count)]

    def test_after_a_lost_connection_only_what_was_not_accepted_is_sent_again_and_each_result_comes_once(self):
        def first(farm, requests, context):
            farm.take(requests, 3)
            yield accepted(3)
            yield timed(2)
            farm.take(requests, 4)
            context.abort(grpc.StatusCode.UNAVAILABLE, "the tracker is shutting down")

        def second(farm, requests, context):
            yield farm_pb2.MeasureResponse(control={"more_trials": 1})
            yield timed(2)
            yield timed(1)
            farm.take(requests, 2)
            yield accepted(5)
            for sequence in (5, 3, 4):
                yield timed(sequence)

        scripted, farm = self.farm(first, second, most=3)
        found = list(farm.measure_all(self.programs(5)))
        self.assertEqual([(at, result.seconds, result.artifact) for at, result in found], [(n - 1, n + 0.5, f"a{n}") for n in (2, 1, 5, 3, 4)])
        self.assertEqual([each.resume_after for each in scripted.starts], [0, 0])
        self.assertEqual([[each.sequence for each in stream] for stream in scripted.inputs], [[1, 2, 3, 4], [4, 5]])
        self.assertEqual((scripted.receipts[0].received_through, list(scripted.receipts[0].received)), (0, [2]))
        self.assertEqual(scripted.closed, ["s-1"])

    def test_what_was_received_in_order_is_not_asked_for_again_and_no_more_is_in_flight_than_the_farm_allows(self):
        def first(farm, requests, context):
            farm.take(requests, 2)
            yield accepted(2)
            for sequence in (1, 2):
                yield timed(sequence)
            farm.take(requests, 4)
            context.abort(grpc.StatusCode.UNAVAILABLE, "gone")

        def second(farm, requests, context):
            for sequence in (3, 4, 5):
                farm.take(requests, sequence - 2)
                yield accepted(sequence)
                yield timed(sequence)

        scripted, farm = self.farm(first, second, most=2)
        self.assertEqual([at for at, _ in farm.measure_all(self.programs(5))], [0, 1, 2, 3, 4])
        self.assertEqual([each.resume_after for each in scripted.starts], [0, 2])
        self.assertEqual([each.sequence for each in scripted.inputs[1]], [3, 4, 5])
        self.assertEqual(max(scripted.in_flight), 2)

    def test_a_caller_that_takes_no_more_results_and_a_refusal_end_the_session(self):
        def endless(farm, requests, context):
            farm.take(requests, 3)
            yield accepted(3)
            yield timed(1)
            for _ in requests:
                pass

        def refusing(farm, requests, context):
            farm.take(requests, 1)
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "a bad program")
            yield

        scripted, farm = self.farm(endless, refusing)
        results = farm.measure_all(self.programs(3))
        self.assertEqual(next(results)[0], 0)
        results.close()
        self.assertEqual(scripted.closed, ["s-1"])
        with self.assertRaisesRegex(warpfarm.FarmError, "a bad program") as told:
            farm.measure(self.programs(1)[0])
        self.assertEqual((told.exception.code, scripted.closed), ("INVALID_ARGUMENT", ["s-1", "s-1"]))

    def test_options_reach_the_farm_in_its_units_each_in_its_field(self):
        def answers(farm, requests, context):
            farm.take(requests, 1)
            yield timed(1)

        given = {"min_repeat_seconds": 0.25, "run_timeout_seconds": 2, "build_timeout_seconds": 90.000000001}
        scripted, farm = self.farm(answers, answers, answers)
        [program] = self.programs(1)
        farm.measure(program)
        farm.measure(program, program, number=7, repeat=5, precision=0, l2="flushed", timer="events", inputs="exact", name="mine", selector="cuda/sm_80+", **given)
        usual, told = scripted.openings
        self.assertEqual((usual.task, usual.selector, usual.protocol_version), ("from Python", "cuda/sm_90", warpfarm.client.PROTOCOL))
        self.assertEqual((told.task, told.selector), ("mine", "cuda/sm_80+"))
        self.assertEqual(usual.options, measure_pb2.MeasureOptions(l2="L2_WARM", inputs="INPUTS_FULL", check="CHECK_NONE"))
        spans = {"min_repeat": {"nanos": 250_000_000}, "run_timeout": {"seconds": 2}, "build_timeout": {"seconds": 90, "nanos": 1}}
        self.assertEqual(told.options, measure_pb2.MeasureOptions(number=7, repeat=5, precision=0, l2="L2_FLUSHED", timer="TIMER_EVENTS", inputs="INPUTS_EXACT", check="CHECK_REFERENCE", **spans))
        self.assertNotEqual(usual.request_id, told.request_id)
        farm.measure(program, min_repeat_seconds=0)
        self.assertTrue(scripted.openings[2].options.HasField("min_repeat"))
        # The reference comes with its first input.
        self.assertEqual(scripted.inputs[1][0].reference.json, program.bytes)

    def test_a_call_is_made_again_when_the_farm_was_away_with_the_same_name_and_not_when_it_refuses(self):
        def answers(farm, requests, context):
            farm.take(requests, 1)
            yield timed(1)

        away, no = (grpc.StatusCode.UNAVAILABLE, "away"), (grpc.StatusCode.RESOURCE_EXHAUSTED, "full")
        scripted, farm = self.farm(answers, refusals=[away, away])
        farm.measure(self.programs(1)[0])
        self.assertEqual((len(scripted.openings), len({each.request_id for each in scripted.openings})), (3, 1))
        scripted, farm = self.farm(refusals=[no])
        with self.assertRaisesRegex(warpfarm.FarmError, "full"):
            farm.measure(self.programs(1)[0])
        self.assertEqual((len(scripted.openings), scripted.closed), (1, []))

    def test_what_the_farm_lacks_is_uploaded_whole_once(self):
        def answers(farm, requests, context):
            farm.take(requests, 2)
            for sequence in (1, 2):
                yield timed(sequence)

        sizes = (1 << 19, (1 << 20) + 1, 7)
        small, large, there = (Blob(bytes(size)) for size in sizes)
        programs = [warpfarm.document({"version": 1, "kind": "ptx", "target": "cuda/sm_90", "n": n}, blobs) for n, blobs in enumerate(((small, there), (large, small)))]
        scripted, farm = self.farm(answers)
        scripted.there = {there.digest}
        self.assertEqual(len(list(farm.measure_all(programs, programs[0]))), 2)
        self.assertEqual(([len(each) for each in scripted.asked], scripted.uploads), ([3], [(size, size) for size in sizes[:2]]))

    def test_more_blobs_than_a_farm_is_asked_for_at_once_are_asked_for_in_turns(self):
        def answers(farm, requests, context):
            farm.take(requests, 1)
            yield timed(1)

        blobs = [Blob(n.to_bytes(2, "little")) for n in range(1026)]
        scripted, farm = self.farm(answers)
        scripted.there = {blob.digest for blob in blobs[:-1]}
        farm.measure(warpfarm.document({"version": 1, "kind": "ptx", "target": "cuda/sm_90"}, blobs))
        self.assertEqual([digest for asked in scripted.asked for digest in asked], [blob.digest for blob in blobs])
        self.assertEqual(([len(asked) for asked in scripted.asked], scripted.uploads), ([1024, 2], [(2, 2)]))

    def test_connections_may_be_lost_as_often_as_results_come_between_but_not_for_ever(self):
        def one(farm, requests, context):
            farm.take(requests, 1)
            yield timed(farm.starts[-1].resume_after + 1)
            context.abort(grpc.StatusCode.UNAVAILABLE, "gone")

        def none(farm, requests, context):
            context.abort(grpc.StatusCode.UNAVAILABLE, "gone")
            yield

        with mock.patch("warpfarm.client.time.sleep"):
            scripted, farm = self.farm(*[one] * 25, most=25)
            self.assertEqual([at for at, _ in farm.measure_all(self.programs(25))], list(range(25)))
            scripted, farm = self.farm(*[none] * 30)
            with self.assertRaisesRegex(warpfarm.FarmError, "gone"):
                farm.measure(self.programs(1)[0])
            self.assertEqual(len(scripted.starts), 21)
            scripted, farm = self.farm(refusals=[(grpc.StatusCode.UNAVAILABLE, "away")] * 20)
            with self.assertRaisesRegex(warpfarm.FarmError, "away"):
                farm.measure(self.programs(1)[0])
            self.assertEqual(len(scripted.openings), 9)


def array(dtype, shape, data):
    return SimpleNamespace(dtype=dtype, shape=shape, tobytes=lambda: data)


class Programs(unittest.TestCase):
    def test_what_is_recorded_of_outputs_has_a_name_that_no_tensor_has(self):
        tensors = [warpfarm.Tensor("c", "uint8", [2], role="out"), warpfarm.Tensor("recorded_c", "uint8", [2])]
        said = json.loads(warpfarm.outputs("cuda/sm_90", tensors, {"c": array("uint8", (2,), b"ab")}).bytes)
        self.assertEqual([each["name"] for each in said["args"]], ["c", "recorded_c", "recorded_c_"])
        self.assertEqual(said["kernels"][0]["args"][:2], ["c", "recorded_c_"])

    def test_an_array_may_have_as_many_bytes_as_a_farm_takes_and_not_one_more(self):
        with mock.patch("warpfarm.blobs._MOST_BYTES", 4):
            self.assertEqual(values_of("a", "uint8", [4], array("uint8", (4,), b"abcd")).bytes, b"abcd")
            with self.assertRaisesRegex(ValueError, "tensor a: the array has 5 bytes; a tensor has at most 4 on a farm"):
                values_of("a", "uint8", [5], array("uint8", (5,), b"abcde"))

    def test_a_bundle_follows_no_link_and_has_a_bound_of_files(self):
        with tempfile.TemporaryDirectory() as place:
            root = pathlib.Path(place, "headers")
            root.mkdir()
            pathlib.Path(place, "secret.h").write_text("// of somebody else")
            for name in ("a.h", "b.h"):
                (root / name).write_text("// ours")
            (root / "c.h").symlink_to(pathlib.Path(place, "secret.h"))
            (root / "below").symlink_to(place, target_is_directory=True)
            self.assertEqual(sorted(json.loads(bundle(root).bytes)["files"]), ["a.h", "b.h"])
            with mock.patch("warpfarm.blobs._MOST_FILES", 1), self.assertRaisesRegex(ValueError, "1 headers; name a folder further down"):
                bundle(root)

    def test_a_key_of_triton_has_the_types_of_the_arguments_too(self):
        named = {"a": SimpleNamespace(dtype="torch.float16"), "n": 7, "m": 8, "b": SimpleNamespace(dtype="torch.int8")}
        self.assertEqual(_key_of(SimpleNamespace(keys=["m", "n", "k"]), named), (8, 7, "torch.float16", "torch.int8"))


if __name__ == "__main__":
    unittest.main()
