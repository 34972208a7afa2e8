"""A place for tests of the sandbox: a root, a folder outside, a home with secrets, a victim.

It is not below /tmp, which the sandbox replaces: attacks would fail for the wrong reason. If other
users cannot reach the build folder, it is below /opt, with copies of the programs.
"""
import atexit
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TREFOIL, ATTACKS, REFUSE = (os.path.abspath(word) for word in sys.argv[1:4])
USER = 1000
SECRET = "the secret"


def write(path, text="text\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def as_user(uid):
    """The beginning of a command that runs as this user."""
    if uid == os.getuid():
        return []
    return ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"]


def users():
    """Root and an ordinary user, as far as we may be both."""
    return [0, USER] if os.getuid() == 0 else [os.getuid()]


def base_folder():
    """Where all users can reach files and the programs. Sets the paths of the programs."""
    global TREFOIL, ATTACKS, REFUSE  # pylint: disable=global-statement
    if all(subprocess.run([*as_user(uid), "test", "-x", ATTACKS], check=False).returncode == 0
           for uid in users()):
        return os.getcwd()
    folder = tempfile.mkdtemp(prefix="trefoil-", dir="/opt")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chmod(folder, 0o755)
    TREFOIL, ATTACKS, REFUSE = (shutil.copy(program, folder)
                                for program in (TREFOIL, ATTACKS, REFUSE))
    return folder


BASE = base_folder()


class Place:
    """Everything in it belongs to one user."""

    def __init__(self, uid):
        self.uid = uid
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="sandbox-", dir=BASE))
        self.root, self.outside, self.home, self.state, self.other = (
            self.base / name for name in ("root", "outside", "home", "state", "other"))
        # pylint: disable-next=consider-using-with
        self.host_file = tempfile.NamedTemporaryFile(prefix="sandbox-")
        self.victim = None
        self.about = {}
        try:
            self.make_files()
        except BaseException:
            self.close()
            raise

    def make_files(self):
        self.base.chmod(0o755)
        write(self.root / "plain")
        for name in (".git/config", ".git/HEAD", ".git/hooks/sample",
                     ".git/modules/lib/sub/HEAD", ".git/modules/lib/sub/config", "trefoil.toml",
                     ".trefoil/agents/a.md", ".trefoil/logs/session.log", ".mcp.json",
                     ".vscode/settings.json", ".envrc"):
            write(self.root / name, "" if name.endswith(".toml") else "text\n")
        (self.root / ".vault").mkdir()
        (self.root / ".claude").symlink_to(self.outside)
        for name in ("file", "file2"):
            write(self.outside / name)
        (self.outside / "dir").mkdir()
        os.mkfifo(self.outside / "fifo")
        for name in (".ssh/id_rsa", ".npmrc", ".bash_history", ".bashrc"):
            write(self.home / name, SECRET)
        write(self.state / "secret", SECRET)
        shutil.copy(ATTACKS, self.root / "attacks")
        if os.getuid() == 0:
            os.chown(self.host_file.name, self.uid, self.uid)
            for folder, folders, files in os.walk(self.base):
                for name in (".", *folders, *files):
                    os.chown(os.path.join(folder, name), self.uid, self.uid, follow_symlinks=False)

    def start_victim(self):
        """Listens in the host: on ports and on sockets in the file system."""
        paths = ["outside/relative", *(str(self.base / name) for name in
                                       ("outside/s", "home/.ssh/agent", "root/s"))]
        self.victim = subprocess.Popen(
            [*as_user(self.uid), ATTACKS, "victim", ":".join(paths)], cwd=self.base,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.about = dict(word.split("=") for word in self.victim.stdout.readline().split())
        self.about["UNIX_OUTSIDE"] = str(self.outside / "s")
        self.about["UNIX_RELATIVE"] = str(self.outside / "relative")
        self.about["UNIX_ROOT"] = str(self.root / "s")

    def environment(self):
        keep = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG")}
        return {**keep, **self.about, "HOME": str(self.home), "ROOT": str(self.root),
                "OUTSIDE": str(self.outside), "STATE": str(self.state),
                "TREFOIL_STATE_DIR": str(self.state), "OTHER_HOME": self.other_home(),
                "HOST_MOUNTS": os.readlink("/proc/self/ns/mnt"),
                "HOST_FILE": self.host_file.name, "KEEPER_PARENT": str(os.getpid()),
                "ASAN_OPTIONS": "detect_leaks=0"}

    def other_home(self):
        """A file of a user who is not the one that runs: the first one below /home."""
        if os.getuid() or self.uid:
            return "/root/.bashrc"
        return str(next(pathlib.Path("/home").glob("*/.*rc"), "/home/nobody"))

    def run(self, profile, *command, before=(), options=(), **more):
        """Run a command in the sandbox, from the root."""
        return subprocess.run(
            [*as_user(self.uid), *before, TREFOIL, "sandbox", "--root", str(self.root),
             "--profile", profile, *options, "--", *command],
            cwd=more.pop("cwd", self.root), env={**self.environment(), **more.pop("env", {})},
            capture_output=True, text=True, timeout=120, check=False, **more)

    def attack(self, profile, *words, before=(), options=()):
        """Run all attacks, with descriptors that should not be inherited."""
        fifo = os.open(self.outside / "fifo", os.O_RDWR | os.O_NONBLOCK)
        with open(self.outside / "file", encoding="utf-8") as stdin, \
                open(self.outside / "file", "a", encoding="utf-8") as file:
            folder = os.open(self.outside, os.O_RDONLY)
            os.dup2(file.fileno(), 60)
            os.dup2(folder, 61)
            try:
                return self.run(profile, "./attacks", *words, before=before, options=options,
                                stdin=stdin, pass_fds=(60, 61))
            finally:
                for fd in (60, 61, folder, fifo):
                    os.close(fd)

    def close(self):
        if self.victim:
            self.victim.communicate("", timeout=60)
        self.host_file.close()
        shutil.rmtree(self.base, ignore_errors=True)
