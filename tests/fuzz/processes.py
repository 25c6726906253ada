# SPDX-License-Identifier: MIT

"""Starts programs one at a time, with limits, and checks the form of their refusals."""

import os
import re
import resource
import shlex
import signal
import subprocess
import tempfile

# Open MPI's mpiexec needs these as root, on few cores and without a network. Others ignore them.
MPI_ENVIRONMENT = {
    "OMPI_MCA_pml": "^ucx,cm",
    "OMPI_MCA_btl": "^openib,ofi",
    "OMPI_MCA_ess_singleton_isolated": "1",
    "OMPI_MCA_odls_base_sigkill_timeout": "0",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}

BAD_INPUT = 2  # the exit code of every refusal


# Lines that also begin with "bracket" but are not refusals.
WARNINGS = "it has no digest, which|the file's digest is another|share [0-9]+ core"


class Finding(Exception):
    """An error that the case shows."""


class Outcome:
    def __init__(self, command, code, out, err):
        self.command = command
        self.code = code  # negative: ended by that signal
        self.out = out
        self.err = err

    @property
    def words(self):
        return self.err.decode(errors="replace")

    def shown(self):
        def part(name, data):
            return f"--- {name}\n{data[:4000].decode(errors='backslashreplace')}\n"

        return (
            f"$ {shlex.join(self.command)}\nexit code {self.code}\n"
            + part("stdout", self.out)
            + part("stderr", self.err)
        )


class Programs:
    """Starts `bracket`, alone or on the ranks of mpiexec, in the folder of the case."""

    def __init__(self, bracket, mpiexec, timeout, megabytes):
        self.bracket = os.path.abspath(bracket)
        self.mpiexec = mpiexec
        self.timeout = timeout
        self.megabytes = megabytes
        self.engine = "simgrid"  # used beside loggops
        self.folder = "."
        self.history = []
        self.started = 0
        self.on_ranks = 0

        # In Open MPI, programs without mpiexec share a folder by name, and a program that ends
        # removes it while another begins. So each fuzzer has its own folder for temporary files.
        self.temporary = tempfile.TemporaryDirectory(prefix="fuzz-")
        keep_launch_folder(self.temporary.name)

    def begin(self, folder):
        self.folder = folder
        self.history = []

    def alone(self, *words):
        """Runs `bracket` without mpiexec. An end by a signal, a hang or too much memory is a
        finding."""
        return self._start([self.bracket, *map(str, words)], self.megabytes)

    def ranks(self, count, *words):
        if count == 1:
            return self.alone(*words)
        self.on_ranks += 1
        return self._start(
            [*self.mpiexec, str(count), self.bracket, *map(str, words)], None
        )

    def _start(self, command, megabytes):
        self.started += 1

        def limit():
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if megabytes:
                room = megabytes << 20
                resource.setrlimit(resource.RLIMIT_AS, (room, room))

        environment = {**MPI_ENVIRONMENT, **os.environ, "TMPDIR": self.temporary.name}
        # Files in place of pipes: a process that the program left behind cannot hold them open.
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=self.folder,
                env=environment, preexec_fn=limit,
            )
            hung = False
            try:
                code = process.wait(timeout=self.timeout)
            except subprocess.TimeoutExpired:
                hung = True
                os.killpg(process.pid, signal.SIGKILL)
                code = process.wait()
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
            out.seek(0)
            err.seek(0)
            outcome = Outcome(command, code, out.read(), err.read())
        self.history.append(outcome)
        if hung:
            raise Finding(f"it is still running after {self.timeout} seconds")
        if code not in (0, BAD_INPUT):
            raise Finding(f"exit code {code}: 0 or {BAD_INPUT} was expected")
        if code == BAD_INPUT:
            check_refusal(outcome, launched=command[0] != self.bracket)
        return outcome


def keep_launch_folder(temporary):
    """Puts a folder into the folder of all launches of Open MPI 4. A launch removes that folder if
    it is empty, even when another launch is about to use it."""
    host = os.uname().nodename.split(".")[0]
    os.makedirs(f"{temporary}/ompi.{host}.{os.getuid()}/kept", exist_ok=True)


def check_refusal(outcome, launched=False):
    """Checks for one message on stderr that begins with "bracket" and can be shown on a
    terminal."""
    raw = [byte for byte in outcome.err if byte < 0x20 and byte != 0x0A or byte == 0x7F]
    if raw and not launched:
        raise Finding(f"the refusal holds the control byte 0x{raw[0]:02X}")
    try:
        lines = outcome.err.decode().splitlines()
    except UnicodeDecodeError:
        raise Finding("the refusal is not UTF-8") from None
    # A digest of another schedule gives a separate warning. The reasons for which a schedule is
    # refused are on indented lines.
    said = [
        line
        for line in lines
        if line.startswith("bracket") and not re.search(WARNINGS, line)
    ]
    if len(said) != 1:
        raise Finding(f"a refusal is one line that begins with 'bracket', not {len(said)}")
    if len(said[0]) > 2000:
        raise Finding(f"a refusal of {len(said[0])} characters")
    if not launched:
        for line in lines:
            if not line.startswith("bracket") and not line.startswith("  "):
                raise Finding(f"a refusal with a line that does not begin with 'bracket': {line}")
