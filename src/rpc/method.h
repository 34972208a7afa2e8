/*
 * method.h - the method table of a protocol.
 *
 * A protocol lists its methods in one table. Versions are columns: a row is valid from the version
 * `from` to the version `to` (numbers of the protocol's own, in order of age), so supporting
 * the next version means rows, not branches.
 */
#ifndef RPC_METHOD_H
#define RPC_METHOD_H

#include "rpc/message.h"

struct rpc_in;

typedef void rpc_handler_fn(struct rpc_in *in);

struct method {
    struct str name;
    enum rpc_kind kind; /* RPC_REQUEST or RPC_NOTIFICATION */
    int from, to;
    rpc_handler_fn *handler;
};

struct method_table {
    const struct method *row;
    size_t rows;
};

#define METHOD_TABLE(rows) ((struct method_table){ (rows), ARRAY_LEN(rows) })

/* The row for a method in a version, or NULL. */
const struct method *method_find(struct method_table table, struct str name, enum rpc_kind kind,
                                 int version);

#endif
