/*
 * method.h - the method table of a protocol.
 *
 * A protocol lists its methods in one table. A row is valid from version `from` to version `to`;
 * the protocol numbers its versions in order of age. So a new version needs new rows, not branches
 * in the code.
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

/* The row of a method that is valid in this version, or NULL. */
const struct method *method_find(struct method_table table, struct str name, enum rpc_kind kind,
                                 int version);

#endif
