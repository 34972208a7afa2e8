"""A file system that is mounted read-only: whoever cannot write there says which file, and why (EROFS)."""
import os
import subprocess

from harness import DEADLINE, TREFOIL, case, environment, equal, has, main, run, state_dir


def place(root):
    """A project and the variables of a user whose files are beside it."""
    work = root / "work"
    work.mkdir()
    return work, {"HOME": str(root), "XDG_STATE_HOME": str(root / "state"), "TREFOIL_PROVIDER": "offline"}


def mounted(script, *args, **env):
    """Run a script of the shell in a mount namespace of its own."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return subprocess.run(["unshare", *user, "--mount", "sh", "-ec", script, "sh", *map(str, args)],
                          capture_output=True, timeout=DEADLINE, env=environment(**env), check=False)


READ_ONLY = 'mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; shift; exec "$@"'


@case
def a_daemon_that_cannot_write_its_state_names_path_and_reason(root):
    work, env = place(root)
    done = mounted(READ_ONLY, root, TREFOIL, "serve", "--listen", "127.0.0.1:0", "--root", work, **env)
    equal(done.returncode, 1)
    has(done.stderr.decode(), "(EROFS)")
    has(done.stderr.decode(), str(root))


@case
def a_database_that_is_there_and_cannot_be_written(root):
    work, env = place(root)
    equal(run("run", "/echo hello", root=work, **env).returncode, 0)
    database, = root.rglob("trefoil.db")
    done = mounted(READ_ONLY, root, TREFOIL, "serve", "--listen", "127.0.0.1:0", "--root", work, **env)
    equal(done.returncode, 1)
    has(done.stderr.decode(), str(database.parent))
    has(done.stderr.decode(), "(EROFS)")


@case
def logs_that_can_be_written_nowhere(root):
    """Neither in the project nor in the state directory of the root."""
    work, env = place(root)
    equal(run("run", "/echo hello", root=work, **env).returncode, 0)
    state = state_dir(work, **env)
    (state / "logs").mkdir(mode=0o700, exist_ok=True)
    script = ('for d in "$1" "$2"; do mount --bind "$d" "$d"; mount -o remount,bind,ro "$d"; done; '
              'shift 2; exec "$@"')
    done = mounted(script, work / ".trefoil/logs", state / "logs", TREFOIL, "run", "/echo hello",
                   "--root", work, **env)
    equal((done.returncode, done.stdout.decode().strip()), (0, "hello"))
    has(done.stderr.decode(), "(EROFS)")
    has(done.stderr.decode(), str(state / "logs"))


main()
