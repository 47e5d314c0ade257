"""Measures on a Warpfarm without a line of Warpfarm's own code: from the proto files and the golden files.

docs/other-languages.md walks through it. It needs Python 3.10, grpcio and protobuf 3.20 or later (Debian: python3-grpcio), and the
modules that protoc makes of proto/warpfarm on the PYTHONPATH.

    python3 measure.py 127.0.0.1:9290 --golden proto/test/golden
"""

import argparse
import hashlib
import itertools
import json
import pathlib
import queue
import statistics
import sys
import time
import uuid

import grpc
from google.protobuf import duration_pb2, json_format, symbol_database

# Those of worker, artifact, record and suite are here for the golden files only: a client calls FarmService.
from warpfarm.artifact.v1 import artifact_service_pb2  # noqa: F401
from warpfarm.farm.v1 import farm_service_pb2 as farm
from warpfarm.farm.v1 import farm_service_pb2_grpc as farm_grpc
from warpfarm.measure.v1 import measure_pb2 as measure
from warpfarm.record.v1 import record_service_pb2  # noqa: F401
from warpfarm.suite.v1 import suite_service_pb2  # noqa: F401
from warpfarm.worker.v1 import worker_service_pb2  # noqa: F401


def canonical(document) -> bytes:
    """RFC 8785, for documents of strings, integers, arrays and objects with ASCII names, as all of ours are."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def check_golden(folder: pathlib.Path) -> None:
    """Stops unless we agree with the contract: documents byte for byte, messages field for field."""
    for name in ("program", "manifest"):
        data = (folder / f"{name}.json").read_bytes()
        if canonical(json.loads(data)) != data:
            sys.exit(f"{name}.json: we would write other bytes")
        if digest(data) != "sha256:" + (folder / f"{name}.sha256").read_text().strip():
            sys.exit(f"{name}.json: we find another digest")
    for entry in json.loads((folder / "messages.json").read_text()):
        message = symbol_database.Default().GetSymbol(entry["message"])
        read = message.FromString(bytes.fromhex(entry["hex"]))
        meant = json_format.ParseDict(entry["json"], message())
        if read.SerializeToString(deterministic=True) != meant.SerializeToString(deterministic=True):
            sys.exit(f"messages.json: we read {entry['name']!r} differently")


def connect(address: str, ca: bytes | None, token: str | None):
    """The stub, and the metadata that says who we are. With `ca` (PEM) the connection is TLS."""
    options = [
        ("grpc.keepalive_time_ms", 10_000),
        ("grpc.keepalive_timeout_ms", 5_000),
        ("grpc.max_send_message_length", 4 << 20),
        ("grpc.max_receive_message_length", 4 << 20),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 2_000),
    ]
    if ca is None:
        channel = grpc.insecure_channel(address, options)
    else:
        channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(ca), options)
    return farm_grpc.FarmServiceStub(channel), [] if token is None else [("authorization", f"Bearer {token}")]


AGAIN = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}


def retrying(call):
    """For calls that may be made twice. A lost connection is tried again, sooner first; anything else is an answer."""
    for attempt in itertools.count():
        try:
            return call()
        except grpc.RpcError as error:
            if error.code() not in AGAIN or attempt == 8:
                raise
            time.sleep(min(5, 0.1 * 2**attempt))


def open_session(stub, metadata, protocol: int, selector: str, continues: str):
    """A session: one task on one kind of device. Its request_id makes a second try return the first one's session."""
    request = farm.OpenSessionRequest(
        request_id=str(uuid.uuid4()),
        protocol_version=protocol,
        task="matmul from Python",
        selector=selector,
        options=measure.MeasureOptions(repeat=3, min_repeat=duration_pb2.Duration(nanos=1_000_000)),
        continues=continues,
    )
    return retrying(lambda: stub.OpenSession(request, timeout=10, metadata=metadata))


def candidates(program: dict, target: str):
    """The golden file's matrix product for this target, its 6 columns split by 1, 2, 3, 6, and once so that two are left out."""
    for factors in ([None, 1], [None, 2], [None, 3], [None, 6], [2, 2]):
        split, *rest = program["trace"]
        split = {**split, "args": {"factors": factors}}
        yield factors, canonical({**program, "target": target, "trace": [split, *rest]})


def inputs_of(programs, reference: bytes):
    """Numbered inputs. The reference, whose output every candidate must agree with, is sent once and then named."""
    ref = measure.ProgramRef(json=reference)
    for sequence, program in enumerate(programs, 1):
        yield farm.MeasureRequest.Input(sequence=sequence, program=measure.ProgramRef(json=program), reference=ref)
        ref = measure.ProgramRef(digest=digest(reference))


def results(stub, metadata, session, inputs):
    """Yields (sequence, result) of every input, each once, in the order they come, whatever happens to the connection.

    A result is acknowledged when the caller asks for the next one: it must be safe by then, for the farm forgets it.
    """
    accepted = session.accepted_through
    done = set(range(1, accepted + 1)) - {each.sequence for each in session.outstanding}
    failures = 0
    while len(done) < len(inputs):
        through = next(n for n in itertools.count() if n + 1 not in done)
        requests = queue.SimpleQueue()
        requests.put(farm.MeasureRequest(start=farm.MeasureRequest.Start(session_id=session.session_id, resume_after=through)))
        sent = accepted
        stream = stub.Measure(iter(requests.get, None), metadata=metadata)
        try:
            while True:
                while sent < len(inputs) and sent - len(done) < session.max_in_flight:
                    requests.put(farm.MeasureRequest(input=inputs[sent]))
                    sent += 1
                if len(done) == len(inputs):
                    requests.put(None)  # closes our side; the farm then ends the stream
                response = next(stream, None)
                if response is None:
                    break
                failures = 0
                if response.WhichOneof("kind") == "accepted":
                    accepted = response.accepted.accepted_through
                elif response.result.sequence not in done:
                    yield response.result.sequence, response.result.result
                    done.add(response.result.sequence)
                    through = next(n for n in itertools.count(through) if n + 1 not in done)
                    beyond = [n for n in done if n > through]
                    requests.put(farm.MeasureRequest(receipt=farm.MeasureRequest.Receipt(received_through=through, received=beyond)))
        except grpc.RpcError as error:
            if error.code() not in AGAIN or failures == 20:
                raise
            failures += 1
            time.sleep(min(5, 0.1 * 2**failures))
        finally:
            requests.put(None)
            stream.cancel()


def words_of(result) -> dict:
    """A time, or why there is none: both are results."""
    if result.WhichOneof("outcome") == "timed":
        return {"seconds": statistics.median(result.timed.costs), "costs": list(result.timed.costs), "device": result.device.name}
    return {"error": measure.ErrorNo.Name(result.failed.error_no), "message": result.failed.message}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tracker", help="host:port")
    parser.add_argument("--golden", type=pathlib.Path, required=True, help="folder of the golden files")
    parser.add_argument("--tls-ca", type=pathlib.Path, help="PEM of the authority that signed the tracker's certificate")
    parser.add_argument("--token-file", type=pathlib.Path)
    parser.add_argument("--selector", default="cpu")
    parser.add_argument("--continues", default="", help="session of an earlier process")
    parser.add_argument("--leave-after", type=int, help="leave after this many results, without closing the session")
    flags = parser.parse_args()

    check_golden(flags.golden)
    ca = flags.tls_ca.read_bytes() if flags.tls_ca else None
    token = flags.token_file.read_text().strip() if flags.token_file else None
    stub, metadata = connect(flags.tracker, ca, token)
    messages = json.loads((flags.golden / "messages.json").read_text())
    protocol = next(m["json"]["protocol_version"] for m in messages if m["name"] == "a client opens a session")
    session = open_session(stub, metadata, protocol, flags.selector, flags.continues)
    print(json.dumps({"session": session.session_id, "selector": session.selector, "accepted": session.accepted_through}), flush=True)

    program = json.loads((flags.golden / "program.json").read_bytes())
    target = session.selector.split(",")[0]
    factors, programs = zip(*candidates(program, target))
    reference = canonical({**program, "target": target, "trace": []})
    inputs = list(inputs_of(programs, reference))
    for count, (sequence, result) in enumerate(results(stub, metadata, session, inputs), 1):
        print(json.dumps({"sequence": sequence, "factors": factors[sequence - 1], **words_of(result)}), flush=True)
        if count == flags.leave_after:
            return
    retrying(lambda: stub.CloseSession(farm.CloseSessionRequest(session_id=session.session_id), timeout=10, metadata=metadata))


if __name__ == "__main__":
    main()
