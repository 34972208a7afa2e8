// Is every message by the official schema of its version? The schemas (and the validator, ajv)
// come with the conformance suite from npm; nothing of them is kept here. The suite lacks 2024-11-05:
// with a folder of schemas in the variable SCHEMAS that one is read from it (2024-11-05.json), otherwise
// its messages are held against 2025-03-26, which is the same and some more.
//
//   node validate.mjs LOG...     LOG as written by tap.mjs; says what is wrong, exits with 1 then
//
// A record is { stream, from: 'client' | 'server', version?, message }. Streams are separate
// conversations: a response belongs to the request with its id on the same stream. Without a
// version the message's own _meta decides, then what `initialize` on the stream agreed on, or asked for.
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';

const SUITE = '@modelcontextprotocol/conformance';
const OLDEST = '2024-11-05', NEXT = '2025-03-26';
const PARSE_ERROR = -32700;
const META_VERSION = 'io.modelcontextprotocol/protocolVersion';
// A definition that no other version has (under that root key) tells which version a schema is.
const MARKS = {
  '2025-03-26': ['definitions', 'JSONRPCBatchRequest'],
  '2025-06-18': ['definitions', 'ElicitRequest'],
  '2025-11-25': ['$defs', 'InitializeRequest'],
  '2026-07-28': ['$defs', 'DiscoverRequest'],
};

// The source text of the object literal that starts at `start`.
function literalAt(source, start) {
  let depth = 0;
  for (let i = start; i < source.length; i++) {
    const c = source[i];
    if ('`"\''.includes(c)) {
      while (source[++i] !== c) if (source[i] === '\\') i++;
    } else if (c === '{') depth++;
    else if (c === '}' && --depth === 0) return source.slice(start, i + 1);
  }
  throw new Error('an object in the suite has no end');
}

function loadSchemas() {
  const path = createRequire(import.meta.url).resolve(`${SUITE}/dist/index.js`);
  const source = readFileSync(path, 'utf8');
  const found = {};
  for (const { index } of source.matchAll(/\{\$schema:[`"]https?:[^`"]*[`"],(\$defs|definitions):/g)) {
    const schema = runInNewContext(`JSON.stringify(${literalAt(source, index)})`);
    for (const [version, [key, mark]] of Object.entries(MARKS))
      if (JSON.parse(schema)[key]?.[mark]) found[version] ??= JSON.parse(schema);
  }
  const missing = Object.keys(MARKS).filter(v => !found[v]);
  if (missing.length) throw new Error(`${SUITE} does not carry the schema of ${missing}`);
  found[OLDEST] = process.env.SCHEMAS
    ? JSON.parse(readFileSync(join(process.env.SCHEMAS, `${OLDEST}.json`), 'utf8')) : found[NEXT];
  return found;
}

// The published schemas of two versions say integer where the specification says number.
function repair(defs) {
  for (const key of ['minimum', 'maximum', 'default']) {
    const property = defs.NumberSchema?.properties?.[key];
    if (property?.type === 'integer') property.type = 'number';
  }
}

// One version, ready to check: which definition a method, a result and an error code have.
class Version {
  constructor(schema) {
    this.key = schema.$defs ? '$defs' : 'definitions';
    this.defs = schema[this.key];
    repair(this.defs);
    this.ajv = new (this.key === '$defs' ? Ajv2020 : Ajv)({ strict: false, allErrors: true });
    addFormats(this.ajv);
    this.ajv.addFormat('byte', true);
    this.ajv.addSchema({ ...schema, $id: 'mcp' });
    this.methods = {}, this.codes = {};
    for (const [name, def] of Object.entries(this.defs)) {
      const method = def.properties?.method?.const;
      if (method && /(Request|Notification)$/.test(name) && !/^(Client|Server)/.test(name))
        this.methods[method] = name;
      for (const part of def.properties?.error?.allOf ?? [])
        if (part.properties?.code?.const) this.codes[part.properties.code.const] = name;
    }
  }

  check(name, value) {
    const id = `mcp#/${this.key}/${name}`;
    const ok = this.ajv.getSchema(id) ?? this.ajv.compile({ $ref: id });
    return ok(value) ? [] : ok.errors.slice(0, 5).map(e => `${name}${e.instancePath} ${e.message}`);
  }

  first(...names) {
    return names.find(name => this.defs[name]);
  }

  wrong(message, method) {
    if (typeof message !== 'object' || message === null) return ['no object'];
    if ('method' in message)
      return this.check(this.methods[message.method] ??
        ('id' in message ? 'JSONRPCRequest' : 'JSONRPCNotification'), message);
    if (message.id === null && message.error?.code === PARSE_ERROR) // JSON-RPC 2.0 wants it so
      return this.wrong({ ...message, id: 0 });
    if ('error' in message)
      return this.check(this.codes[message.error?.code] ??
        this.first('JSONRPCErrorResponse', 'JSONRPCError'), message);
    const asked = this.methods[method]?.replace(/Request$/, 'Result');
    const result = message.result?.resultType === 'input_required' ? 'InputRequiredResult' : asked;
    return [
      ...this.check(this.first('JSONRPCResultResponse', 'JSONRPCResponse'), message),
      ...(this.defs[result] ? this.check(result, message.result) : []),
    ];
  }
}

const versions = Object.fromEntries(
  Object.entries(loadSchemas()).map(([version, schema]) => [version, new Version(schema)]));

const isRequest = m => m && 'method' in m && 'id' in m;
const claim = m => m?.params?._meta?.[META_VERSION] ?? undefined;
const offer = m => m?.method === 'initialize' ? m.params?.protocolVersion : undefined;

// What is known of one stream: its requests by who sent them and id, and the version that was agreed or is claimed.
function surveyOf(records) {
  const requests = new Map();
  let agreed, claimed;
  for (const { from, message } of records) {
    if (isRequest(message)) requests.set(`${from} ${JSON.stringify(message.id)}`, message);
    agreed ??= message?.result?.protocolVersion;
    claimed ??= claim(message);
  }
  return { requests, agreed: agreed ?? claimed };
}

// Check what `from` sent: { checked, unknown: those of a version without a schema, wrong: [...] }.
export function validate(records, from) {
  const streams = Map.groupBy(records, r => r.stream);
  const outcome = { checked: 0, unknown: 0, wrong: [] };
  for (const [stream, all] of streams) {
    const { requests, agreed } = surveyOf(all);
    for (const record of all.filter(r => r.from === from)) {
      const { message } = record;
      const other = from === 'server' ? 'client' : 'server';
      const request = requests.get(`${other} ${JSON.stringify(message?.id)}`);
      const asked = message && 'method' in message ? undefined : request;
      const version = claim(message) ?? claim(asked) ?? record.version ?? agreed ?? offer(message);
      if (!versions[version]) {
        outcome.unknown++;
        continue;
      }
      outcome.checked++;
      const errors = versions[version].wrong(message, asked?.method);
      if (errors.length)
        outcome.wrong.push(`${stream} ${version} ${errors.join('; ')}: ${JSON.stringify(message)}`);
    }
  }
  return outcome;
}

export function readLog(path) {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean).map(line => JSON.parse(line));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let bad = process.argv.length < 3;
  for (const path of process.argv.slice(2))
    for (const from of ['client', 'server']) {
      const { checked, unknown, wrong } = validate(readLog(path), from);
      console.log(`${path}: ${from}: ${checked} checked, ${unknown} of an unknown version, ${wrong.length} wrong`);
      for (const line of wrong) console.log(`  ${line.slice(0, 2000)}`);
      bad ||= wrong.length > 0;
    }
  process.exit(bad ? 1 : 0);
}
