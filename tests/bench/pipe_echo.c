/*
 * pipe_echo.c - the floor for stdio: what comes in goes out, one write per read, no parsing.
 */
#include <unistd.h>

int main(void)
{
    static char buffer[1 << 16];
    ssize_t n;

    while ((n = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0) {
        ssize_t done = 0;

        while (done < n) {
            ssize_t wrote = write(STDOUT_FILENO, buffer + done, (size_t)(n - done));

            if (wrote <= 0)
                return 1;
            done += wrote;
        }
    }
    return 0;
}
