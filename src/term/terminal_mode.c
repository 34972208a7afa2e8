#include "term/terminal_mode.h"

#include "base/str.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* Signals that end us where we stand. Others are the loop's, and end us in good order. */
static const int fatal[] = { SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGQUIT };

static struct {
    int fd;
    volatile sig_atomic_t open;
    enum term_mode mode;
    struct termios found;
    struct sigaction before[ARRAY_LEN(fatal)];
} term;

static struct termios attributes(enum term_mode mode)
{
    struct termios t = term.found;

    if (mode == TERM_FOUND)
        return t;
    t.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | IXON | ISTRIP);
    t.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
    if (mode == TERM_KEYS)
        t.c_lflag &= ~(tcflag_t)ISIG;
    t.c_cc[VMIN] = 1;
    t.c_cc[VTIME] = 0;
    return t;
}

/* Nothing can be done about a terminal that does not listen any more. */
static void stop_marking(void)
{
    ssize_t sent = write(STDOUT_FILENO, TERM_PASTE_PLAIN, sizeof(TERM_PASTE_PLAIN) - 1);

    (void)sent;
}

void term_set(enum term_mode mode)
{
    struct termios t;

    if (!term.open)
        return;
    t = attributes(mode);
    tcsetattr(term.fd, TCSADRAIN, &t);
    if (mode == TERM_FOUND && term.mode == TERM_KEYS)
        stop_marking();
    term.mode = mode;
}

enum term_mode term_now(void)
{
    return term.mode;
}

/* Only what may be called in a signal. A fault comes again when we return; the others do not. */
static void on_fatal(int signum, siginfo_t *info, void *context)
{
    (void)context;
    if (term.open) {
        tcsetattr(term.fd, TCSANOW, &term.found);
        if (term.mode == TERM_KEYS)
            stop_marking();
    }
    for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
        if (fatal[i] == signum)
            sigaction(signum, &term.before[i], NULL);
    if (signum == SIGQUIT || info->si_code <= 0)
        raise(signum);
}

bool term_open(int fd, struct err *e)
{
    static bool at_exit;
    struct sigaction act = { .sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO };

    if (tcgetattr(fd, &term.found) < 0)
        return fail_sys(e, "read the modes of the terminal");
    term.fd = fd;
    term.mode = TERM_FOUND;
    term.open = 1;
    for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
        sigaction(fatal[i], &act, &term.before[i]);
    if (!at_exit)
        atexit(term_close);
    at_exit = true;
    return true;
}

void term_suspend(void)
{
    struct sigaction usual = { .sa_handler = SIG_DFL }, ours;
    enum term_mode mode = term.mode;

    term_set(TERM_FOUND);
    sigaction(SIGTSTP, &usual, &ours);
    raise(SIGTSTP);
    sigaction(SIGTSTP, &ours, NULL);
    term_set(mode);
}

void term_close(void)
{
    if (!term.open)
        return;
    term_set(TERM_FOUND);
    term.open = 0;
    for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
        sigaction(fatal[i], &term.before[i], NULL);
}

void term_size(int fd, size_t *columns, size_t *rows)
{
    struct winsize w = { 0 };

    ioctl(fd, TIOCGWINSZ, &w);
    *columns = w.ws_col ? w.ws_col : 80;
    *rows = w.ws_row ? w.ws_row : 24;
}
