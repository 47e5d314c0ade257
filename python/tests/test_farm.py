"""Without a farm: how the warpfarm command is found and heard, credentials, and the words of failed connections. The folder has
ca.pem, key.pem and other.pem (a key of another certificate), made by the caller.
"""

import contextlib
import io
import os
import pathlib
import signal
import socket
import ssl
import stat
import struct
import sys
import tempfile
import threading
import unittest
from types import SimpleNamespace
from unittest import mock

import grpc
import warpfarm
from warpfarm.command import find_command, run_for_report
from warpfarm.errors import farm_error, is_lasting
from warpfarm.triton_tuner import _wrapped

HERE = pathlib.Path.cwd()


def script(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\nimport os, signal, sys\n" + lines)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return os.fspath(path)


SAYS = "print('{\"argv\": %s}' % __import__('json').dumps(sys.argv))\n"


class Command(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name).resolve()
        # A machine with npx, which would ask a public registry.
        script(self.place / "empty/npx", "sys.exit('npx was asked')\n")
        path = mock.patch.dict(os.environ, {"PATH": os.fspath(self.place / "empty")})
        path.start()
        self.addCleanup(path.stop)

    def test_the_command_on_path_is_first(self):
        found = script(self.place / "empty/warpfarm", SAYS)
        script(self.place / "node_modules/.bin/warpfarm", SAYS)
        self.assertEqual(find_command(self.place), [found])

    def test_the_nearest_node_modules_is_next(self):
        script(self.place / "node_modules/.bin/warpfarm", SAYS)
        near = script(self.place / "a/node_modules/.bin/warpfarm", SAYS)
        (self.place / "a/b/c").mkdir(parents=True)
        self.assertEqual(find_command(self.place / "a/b/c"), [near])
        self.assertEqual(find_command(self.place / "a"), [near])
        report = warpfarm.Farm("127.0.0.1:1").tune("t.ts", cwd=self.place / "a/b/c", flags=["--trials", "3"])
        self.assertEqual(report["argv"], [near, "tune", "t.ts", "--json", "--tracker", "127.0.0.1:1", "--trials", "3"])

    def test_a_search_is_given_to_the_command_as_one_value(self):
        script(self.place / "empty/warpfarm", "print(open(sys.argv[-1]).read())\n")
        said = warpfarm.Farm("127.0.0.1:1").tune("t.ts", {"tuner": "ga", "budget": {"trials": 9}}, cwd=self.place)
        self.assertEqual(said, {"version": 1, "tuner": "ga", "budget": {"trials": 9}})

    def test_a_kernel_with_arrays_is_a_spec_and_a_search_on_a_farm_of_this_machine(self):
        lines = """
import json, pathlib
at = pathlib.Path(sys.argv[2])
print(json.dumps({"argv": sys.argv[1:], "text": at.read_text(), "spec": json.loads(at.with_suffix(".json").read_text()),
                  "npy": (at.parent / "a.npy").read_bytes().hex(), "search": json.loads(pathlib.Path(sys.argv[-1]).read_text())}))
"""
        script(self.place / "empty/warpfarm", lines)
        data = struct.pack("<6f", *range(6))
        a, c = (SimpleNamespace(dtype="float32", shape=(2, 3), tobytes=lambda: data) for _ in range(2))
        told = warpfarm.tune_kernel(
            "add", "text", {"c": c, "a": a}, {"BLOCK": [32, 64]}, grid=["n / BLOCK"], block=["BLOCK"], outputs=["c"],
            args=["c", "a", warpfarm.Scalar("int32", 6)], problem={"n": 64}, tolerances={"c": (0, 0.5)},
            constraints=["BLOCK <= n"], search={"budget": {"trials": 2}},
        )
        self.assertEqual([told["argv"][0], *told["argv"][2:5], told["text"]], ["tune", "--json", "--device", "cuda", "text"])
        self.assertEqual(told["search"], {"version": 1, "budget": {"trials": 2}})
        self.assertEqual(told["spec"], {
            "problem": {"n": 64}, "tunables": {"BLOCK": [32, 64]}, "constraints": ["BLOCK <= n"],
            "args": [
                {"name": "c", "dtype": "float32", "shape": [2, 3], "tolerance": {"atol": 0, "rtol": 0.5}, "role": "out"},
                {"name": "a", "dtype": "float32", "shape": [2, 3], "fill": {"file": "./a.npy"}},
                {"scalar": "int32", "value": 6},
            ],
            "kernels": [{"entry": "add", "grid": ["n / BLOCK"], "block": ["BLOCK"]}],
        })
        npy = bytes.fromhex(told["npy"])
        self.assertEqual((npy[:8], npy[-24:], (len(npy) - 24) % 64), (b"\x93NUMPY\x01\x00", data, 0))
        self.assertEqual(eval(npy[10:-24].decode()), {"descr": "<f4", "fortran_order": False, "shape": (2, 3)})
        with self.assertRaisesRegex(ValueError, "args names 'b'; the arrays are c, a"):
            warpfarm.tune_kernel("add", "text", {"c": c, "a": a}, {}, grid=[1], block=[1], outputs=["c"], args=["b"])

    def test_without_one_nothing_is_run_and_the_error_says_how_to_name_it(self):
        with self.assertRaisesRegex(warpfarm.FarmError, r"no warpfarm command on PATH or in node_modules of .*; install it .*command=") as told:
            warpfarm.Farm("127.0.0.1:1").tune("t.ts", cwd=self.place)
        self.assertEqual(told.exception.code, 127)
        with self.assertRaisesRegex(warpfarm.FarmError, r"^/no/such cannot be started: No such file.*command="):
            warpfarm.Farm("127.0.0.1:1", command=["/no/such"]).tune("t.ts")

    def test_files_of_the_farm_are_found_from_another_folder(self):
        # The first line is the token.
        (self.place / "token").write_text("secret \nof ada\n")
        command = [script(self.place / "w", SAYS)]
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.place)
        farm = warpfarm.Farm("127.0.0.1:1", token_file="token", command=command)
        argv = farm.tune("t.ts", cwd=here)["argv"]
        self.assertEqual(argv[argv.index("--token-file") + 1], os.fspath(self.place / "token"))

    def heard(self, lines):
        heard = io.StringIO()
        with contextlib.redirect_stderr(heard), self.assertRaises(warpfarm.FarmError) as told:
            run_for_report([script(self.place / "w", lines), "tune"])
        return str(told.exception), told.exception.code, heard.getvalue()

    def test_the_last_line_of_stderr_is_in_the_error_and_all_are_passed_on(self):
        message, code, heard = self.heard("sys.exit((sys.stderr.write('first\\nwarpfarm tune: no such task\\n\\n'), 2)[1])\n")
        self.assertRegex(message, r"w tune ended with 2: warpfarm tune: no such task$")
        self.assertEqual((code, heard), (2, "first\nwarpfarm tune: no such task\n\n"))

    def test_more_than_a_pipe_holds_is_no_deadlock(self):
        message, _, heard = self.heard("sys.stderr.write('x' * 99 + '\\n' * 1); sys.stderr.write(('y' * 99 + '\\n') * 9999); sys.exit(3)\n")
        self.assertTrue(message.endswith("ended with 3: " + "y" * 99))
        self.assertEqual(len(heard), 100 * 10_000)

    def test_a_command_that_is_interrupted_is_told_to_end(self):
        lines = """
import time
signal.signal(signal.SIGTERM, lambda *_: (open(sys.argv[1], "w").close(), sys.exit(1)))
os.kill(os.getppid(), signal.SIGUSR1)
time.sleep(30)
"""

        def interrupt(*_):
            raise KeyboardInterrupt

        self.addCleanup(signal.signal, signal.SIGUSR1, signal.signal(signal.SIGUSR1, interrupt))
        with self.assertRaises(KeyboardInterrupt):
            run_for_report([script(self.place / "w", lines), os.fspath(self.place / "ended")])
        self.assertTrue((self.place / "ended").exists())

    def test_other_ends_are_told(self):
        self.assertRegex(self.heard("os.kill(os.getpid(), signal.SIGKILL)\n")[0], "was ended by SIGKILL, without a word$")
        self.assertRegex(self.heard("print('no json')\n")[0], "printed no report, without a word$")


class Numbers(unittest.TestCase):
    def test_an_unsigned_number_is_the_signed_one_of_its_bits(self):
        for kind, bits in (("u32", 32), ("u64", 64)):
            edge = 2 ** (bits - 1)
            for value, signed in ((0, 0), (edge - 1, edge - 1), (edge, -edge), (edge + 1, 1 - edge), (2 * edge - 1, -1)):
                self.assertEqual(_wrapped(kind, value), signed, (kind, value))
                self.assertEqual(struct.unpack("<q", struct.pack("<q", _wrapped("u64", value)))[0], _wrapped("u64", value))
        for kind, value in (("i32", -(2**31)), ("i64", 2**63 - 1), ("u8", 255), ("i1", 1)):
            self.assertEqual(_wrapped(kind, value), value)


class Credentials(unittest.TestCase):
    def test_files_that_cannot_serve_are_named_with_their_option(self):
        ca, key, other, none = (os.fspath(HERE / name) for name in ("ca.pem", "key.pem", "other.pem", "none.pem"))
        for options, why in (
            ({"tls_ca": none}, r"tls_ca names '.*none\.pem', which cannot be read: No such file"),
            ({"tls_ca": key}, r"tls_ca names '.*key\.pem', which holds no certificate \(PEM\)"),
            ({"tls_ca": ca, "tls_cert": key, "tls_key": key}, r"tls_cert names '.*key\.pem', which holds no certificate"),
            ({"tls_cert": ca}, "tls_cert and tls_key go together"),
            ({"tls_key": key}, "tls_cert and tls_key go together"),
            ({"tls_cert": ca, "tls_key": other}, "tls_cert and tls_key cannot be used: KEY_VALUES_MISMATCH"),
            ({"token_file": none}, r"token_file names '.*none\.pem', which cannot be read"),
            ({"token_file": ca}, r"token_file names '.*ca\.pem', whose first line is not a token"),
        ):
            with self.assertRaisesRegex(ValueError, why):
                warpfarm.Farm("127.0.0.1:1", **options)
        with warpfarm.Farm("127.0.0.1:1", tls_ca=ca, tls_cert=ca, tls_key=key):
            pass


class Words(unittest.TestCase):
    def test_a_failed_connection_is_told_as_the_command_tells_it(self):
        last = "failed to connect to all addresses; last error: "
        handshake = "UNKNOWN: ipv4:127.0.0.1:1: Ssl handshake failed: SSL_ERROR_SSL: error:"
        # As grpcio 1.51 of Debian 12 and grpcio 1.60 and later of PyPI (BoringSSL) say it.
        for details, why, lasts in (
            (f"{last}UNKNOWN: ipv4:127.0.0.1:9: Failed to connect to remote host: Connection refused", "nothing listens there", False),
            ("DNS resolution failed for nohost.invalid:9: C-ares status is not ARES_SUCCESS", "no machine of that name is known", False),
            (f"{last}{handshake}0A00010B:SSL routines::wrong version number", "it does not speak TLS; leave tls_ca out", True),
            (f"{last}{handshake}100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER", "it does not speak TLS; leave tls_ca out", True),
            (f"{last}{handshake}0A000086:SSL routines::certificate verify failed", "the authority of tls_ca did not sign its certificate, or it has expired", True),
            (f"{last}{handshake}1000007d:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED", "the authority of tls_ca did not sign its certificate, or it has expired", True),
            (f"{last}UNKNOWN: ipv4:127.0.1.1:44143: Peer name vm is not in peer certificate", "its certificate is not for the name vm", True),
            (f"{last}{handshake}0A00045C:SSL routines::tlsv13 alert certificate required", "it requires a client certificate: give tls_cert and tls_key", False),
            (f"{last}UNAVAILABLE: ipv4:127.0.0.1:41421: Endpoint read failed", "it requires a client certificate: give tls_cert and tls_key", False),
            (f"{last}UNAVAILABLE: ipv4:127.0.0.1:41421: Socket closed", "it ends connections at once; if it speaks TLS, give tls_ca, or a tls_cert of an authority that it knows", False),
        ):
            told = farm_error("box:9290", "UNAVAILABLE", details)
            self.assertEqual((str(told), told.code), (f"cannot reach the tracker at box:9290: {why}", "UNAVAILABLE"))
            self.assertEqual(is_lasting(details), lasts, details)
        self.assertEqual(str(farm_error("b:1", "UNAVAILABLE", "odd")), "cannot reach the tracker at b:1: odd")
        self.assertEqual(str(farm_error("b:1", "UNAUTHENTICATED", "a token is needed")), "b:1: a token is needed; token_file names the file that has it")
        self.assertEqual(str(farm_error("b:1", "INVALID_ARGUMENT", "Connection refused")), "b:1: Connection refused")

    def test_a_peer_without_tls_and_one_of_another_authority_are_told_at_once(self):
        program = warpfarm.document({"version": 1, "kind": "ptx", "target": "cuda/sm_90"})
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(HERE / "ca.pem", HERE / "key.pem")
        for answer, ca, why in (
            (lambda peer: peer.sendall(b"\x00\x00\x12\x04" + b"\x00" * 99), "ca.pem", "it does not speak TLS; leave tls_ca out"),
            (lambda peer: context.wrap_socket(peer, server_side=True), "second.pem", "the authority of tls_ca did not sign its certificate"),
        ):
            with socket.create_server(("127.0.0.1", 0)) as listening:
                port = listening.getsockname()[1]
                peers = []

                def serve():
                    with contextlib.suppress(OSError):
                        while True:
                            peers.append(listening.accept()[0])
                            with contextlib.suppress(OSError):
                                peers.append(answer(peers[-1]))

                threading.Thread(target=serve, daemon=True).start()
                with warpfarm.Farm(f"127.0.0.1:{port}", tls_ca=HERE / ca) as farm:
                    with self.assertRaisesRegex(warpfarm.FarmError, f"^cannot reach the tracker at 127.0.0.1:{port}: {why}"):
                        farm.measure(program)
                    self.assertLess(len(peers), 9)
                listening.shutdown(socket.SHUT_RDWR)
                for peer in filter(None, peers):
                    peer.close()


if __name__ == "__main__":
    unittest.main()
