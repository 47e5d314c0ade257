"""A farm: measurements natively over gRPC, searches through the warpfarm command."""

from __future__ import annotations

import contextlib
import itertools
import pathlib
import queue
import statistics
import time
import uuid
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Tuple, TypeVar, Union

import grpc
from google.protobuf import duration_pb2

from warpfarm.artifact.v1 import artifact_service_pb2 as _artifact_pb2
from warpfarm.artifact.v1 import artifact_service_pb2_grpc as _artifact_grpc
from warpfarm.farm.v1 import farm_service_pb2 as _farm_pb2
from warpfarm.farm.v1 import farm_service_pb2_grpc as _farm_grpc
from warpfarm.measure.v1 import measure_pb2 as _measure_pb2

from .blobs import Blob
from .command import find_command, flag, run_search
from .credentials import authorization, channel_credentials
from .errors import farm_error, is_lasting
from .programs import Program

# protoc's modules say no types.
artifact_pb2: Any = _artifact_pb2
artifact_grpc: Any = _artifact_grpc
farm_pb2: Any = _farm_pb2
farm_grpc: Any = _farm_grpc
measure_pb2: Any = _measure_pb2

T = TypeVar("T")

#: Of the wire; a farm of another one says so.
PROTOCOL = 1
_AGAIN = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}
_CALL_SECONDS = 10
_MOST_TRIES = 20
_CHUNK_BYTES = 1 << 19
_UPLOAD_SECONDS = 300
_STAT_AT_ONCE = 1024
_OPTIONS = [
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.max_send_message_length", 4 << 20),
    ("grpc.max_receive_message_length", 4 << 20),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
]


@dataclass(frozen=True)
class Result:
    """The outcome of one program: a time, or the reason why there is none."""

    seconds: Optional[float]
    costs: Sequence[float]
    #: Did every output agree with the reference?
    checked: bool
    #: AutoTVM's names: COMPILE_DEVICE, RUNTIME_DEVICE, WRONG_ANSWER, RUN_TIMEOUT ...; None with a time.
    error: Optional[str]
    message: str
    log: str
    device: str
    artifact: str

    @property
    def ok(self) -> bool:
        return self.seconds is not None


class Farm:
    """`address` is host:port. Beyond loopback the farm needs `tls_ca` (a PEM file) and `token_file`; `tls_cert` and `tls_key` are
    your own certificate, if the farm requires one. `command` is the argument list that starts the warpfarm command, for `tune`; by
    default the one on PATH, else that of the nearest node_modules.
    """

    def __init__(
        self,
        address: str,
        *,
        token_file: Union[str, pathlib.Path, None] = None,
        tls_ca: Union[str, pathlib.Path, None] = None,
        tls_cert: Union[str, pathlib.Path, None] = None,
        tls_key: Union[str, pathlib.Path, None] = None,
        command: Optional[Sequence[str]] = None,
    ) -> None:
        self.address = address
        files = (("--tls-ca", tls_ca), ("--tls-cert", tls_cert), ("--tls-key", tls_key), ("--token-file", token_file))
        self._flags = ["--tracker", address, *(word for name, file in files for word in flag(name, file))]
        self._command = command
        credentials = channel_credentials(tls_ca, tls_cert, tls_key)
        if credentials is None:
            self._channel = grpc.insecure_channel(address, _OPTIONS)
        else:
            self._channel = grpc.secure_channel(address, credentials, _OPTIONS)
        self._metadata = authorization(token_file)
        self._stub = farm_grpc.FarmServiceStub(self._channel)
        self._artifacts = artifact_grpc.ArtifactServiceStub(self._channel)

    def close(self) -> None:
        self._channel.close()

    def __enter__(self) -> Farm:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def measure(self, program: Program, reference: Optional[Program] = None, **options: Any) -> Result:
        """Measures one program. Options are those of `measure_all`."""
        [(_, result)] = self.measure_all([program], reference, **options)
        return result

    def measure_all(
        self,
        programs: Sequence[Program],
        reference: Optional[Program] = None,
        *,
        selector: Optional[str] = None,
        name: str = "from Python",
        number: int = 0,
        repeat: Optional[int] = None,
        precision: Optional[float] = None,
        l2: str = "warm",
        inputs: str = "full",
        power: Optional[str] = None,
        timer: Optional[str] = None,
        min_repeat_seconds: Optional[float] = None,
        run_timeout_seconds: Optional[float] = None,
        build_timeout_seconds: Optional[float] = None,
    ) -> Iterator[Tuple[int, Result]]:
        """Yields (position, result) of each program once, in the order of arrival. A lost connection is made again. Programs that
        wait when the caller takes no more results are not measured.

        All outputs must agree with those of `reference`; without a reference they are not compared. `selector`: the
        devices, by default those of the first program's target. `number`: runs of a repeat, 0 = as many as it takes; `repeat`: the most
        repeats, which end when the interval of the time is `precision` of it to either side; `l2`: warm or flushed; `inputs`: full (normal floats with full mantissas) or exact (k/256), where the program does not say it;
        `power`: burst, sustained or as_asked, by default burst where the other options allow it; `timer`: cuda_graph, events or wall, by default the device's.
        """
        if not programs:
            return
        wanted = selector or programs[0].target.removesuffix("a")
        options = measure_pb2.MeasureOptions(
            number=number,
            repeat=repeat,
            precision=precision,
            l2=measure_pb2.L2.Value(f"L2_{l2.upper()}"),
            power=measure_pb2.Power.Value(f"POWER_{(power or 'unspecified').upper()}"),
            inputs=measure_pb2.Inputs.Value(f"INPUTS_{inputs.upper()}"),
            timer=measure_pb2.Timer.Value(f"TIMER_{(timer or 'unspecified').upper()}"),
            check=measure_pb2.CHECK_NONE if reference is None else measure_pb2.CHECK_REFERENCE,
            **{
                field: _duration(seconds)
                for field, seconds in (
                    ("min_repeat", min_repeat_seconds),
                    ("run_timeout", run_timeout_seconds),
                    ("build_timeout", build_timeout_seconds),
                )
                if seconds is not None
            },
        )
        opening = farm_pb2.OpenSessionRequest(
            request_id=str(uuid.uuid4()), protocol_version=PROTOCOL, task=name, selector=wanted, options=options
        )
        try:
            self._send({blob.digest: blob for each in (*programs, *filter(None, [reference])) for blob in each.uploads})
            session = _retrying(lambda: self._stub.OpenSession(opening, timeout=_CALL_SECONDS, metadata=self._metadata))
            closing = farm_pb2.CloseSessionRequest(session_id=session.session_id)
            try:
                for sequence, result in self._results(session, list(_inputs(programs, reference))):
                    yield sequence - 1, _result_of(result)
            except BaseException:
                # Also where the caller takes no more results: what is left would be measured for nobody.
                with contextlib.suppress(grpc.RpcError):
                    self._stub.CloseSession(closing, timeout=_CALL_SECONDS, metadata=self._metadata)
                raise
            _retrying(lambda: self._stub.CloseSession(closing, timeout=_CALL_SECONDS, metadata=self._metadata))
        except grpc.RpcError as error:
            raise farm_error(self.address, error.code().name, error.details()) from error

    def tune(
        self,
        task: str,
        search: Optional[Mapping[str, Any]] = None,
        *,
        flags: Sequence[str] = (),
        cwd: Union[str, pathlib.Path, None] = None,
    ) -> Mapping[str, Any]:
        """Searches the task on this farm with `warpfarm tune`. `search`: fields of a search (docs/contracts.md), such as
        {"tuner": "ga", "budget": {"trials": 200}}. Returns the report that the command prints. Its messages go to stderr.
        """
        command = find_command(cwd) if self._command is None else self._command
        return run_search([*command, "tune", task, "--json", *self._flags, *flags], search, cwd)

    def _send(self, blobs: Mapping[str, Blob]) -> None:
        """Uploads the blobs that the farm lacks; the farm marks the others as used."""
        digests = list(blobs)
        for at in range(0, len(digests), _STAT_AT_ONCE):
            asked = artifact_pb2.StatRequest(digests=digests[at : at + _STAT_AT_ONCE])
            stat = _retrying(lambda: self._artifacts.Stat(asked, timeout=_CALL_SECONDS, metadata=self._metadata))
            there = {blob.digest for blob in stat.blobs}
            for digest in asked.digests:
                if digest not in there:
                    blob = blobs[digest]
                    _retrying(lambda: self._artifacts.Upload(_chunks(blob), timeout=_UPLOAD_SECONDS, metadata=self._metadata))

    def _results(self, session: Any, inputs: Sequence[Any]) -> Iterator[Tuple[int, Any]]:
        accepted, failures = 0, 0
        done: set[int] = set()
        while len(done) < len(inputs):
            through = next(n for n in itertools.count() if n + 1 not in done)
            requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
            start = farm_pb2.MeasureRequest.Start(session_id=session.session_id, resume_after=through)
            requests.put(farm_pb2.MeasureRequest(start=start))
            sent = accepted
            stream = self._stub.Measure(iter(requests.get, None), metadata=self._metadata)
            try:
                while True:
                    while sent < len(inputs) and sent - len(done) < session.max_in_flight:
                        requests.put(farm_pb2.MeasureRequest(input=inputs[sent]))
                        sent += 1
                    if len(done) == len(inputs):
                        requests.put(None)
                    response = next(stream, None)
                    if response is None:
                        break
                    failures = 0
                    if response.WhichOneof("kind") == "accepted":
                        accepted = response.accepted.accepted_through
                    elif response.WhichOneof("kind") == "result" and response.result.sequence not in done:
                        yield response.result.sequence, response.result.result
                        done.add(response.result.sequence)
                        through = next(n for n in itertools.count(through) if n + 1 not in done)
                        beyond = [n for n in done if n > through]
                        receipt = farm_pb2.MeasureRequest.Receipt(received_through=through, received=beyond)
                        requests.put(farm_pb2.MeasureRequest(receipt=receipt))
            except grpc.RpcError as error:
                if error.code() not in _AGAIN or failures == _MOST_TRIES or is_lasting(error.details()):
                    raise
                failures += 1
                time.sleep(min(5.0, 0.1 * 2**failures))
            finally:
                requests.put(None)
                stream.cancel()


def _chunks(blob: Blob) -> Iterator[Any]:
    header = artifact_pb2.UploadRequest.Header(digest=blob.digest, size=len(blob.bytes))
    yield artifact_pb2.UploadRequest(header=header)
    for at in range(0, len(blob.bytes), _CHUNK_BYTES):
        yield artifact_pb2.UploadRequest(chunk=blob.bytes[at : at + _CHUNK_BYTES])


def _inputs(programs: Sequence[Program], reference: Optional[Program]) -> Iterator[Any]:
    """Inputs of the stream. The reference is sent once; later inputs name it."""
    for sequence, program in enumerate(programs, 1):
        said = {"sequence": sequence, "program": measure_pb2.ProgramRef(json=program.bytes)}
        if reference is not None:
            named = measure_pb2.ProgramRef(json=reference.bytes) if sequence == 1 else measure_pb2.ProgramRef(digest=reference.digest)
            said["reference"] = named
        yield farm_pb2.MeasureRequest.Input(**said)


def _result_of(result: Any) -> Result:
    if result.WhichOneof("outcome") == "timed":
        timed = result.timed
        costs = list(timed.costs)
        return Result(statistics.median(costs), costs, timed.checked, None, "", "", result.device.name, timed.artifact)
    failed = result.failed
    error = measure_pb2.ErrorNo.Name(failed.error_no).removeprefix("ERROR_NO_")
    return Result(None, [], False, error, failed.message, failed.log, result.device.name, "")


def _duration(seconds: float) -> duration_pb2.Duration:
    made = duration_pb2.Duration()
    made.FromNanoseconds(round(seconds * 1e9))
    return made


def _retrying(call: Callable[[], T]) -> T:
    """Calls again after a lost connection; only for calls that may be made twice."""
    for attempt in itertools.count():
        try:
            return call()
        except grpc.RpcError as error:
            if error.code() not in _AGAIN or attempt == 8 or is_lasting(error.details()):
                raise
            time.sleep(min(5.0, 0.1 * 2**attempt))
    raise AssertionError("a loop without an end ended")
