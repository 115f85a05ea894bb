/** The database cannot be opened. The message names the cause and the operator's next step. */
export class DatabaseError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseError';
  }
}

/** A stored run or proposal has a schema version that this version does not know; callers must never guess (S84). */
export class UnsupportedSchemaError extends Error {
  readonly pullRequestKey: string;
  readonly schema: number;
  constructor(pullRequestKey: string, schema: number) {
    super(
      `The stored run of ${pullRequestKey} has schema version ${schema}, which this version of Countersign does not know`,
    );
    this.name = 'UnsupportedSchemaError';
    this.pullRequestKey = pullRequestKey;
    this.schema = schema;
  }
}

/** Whether the database was unreachable or overloaded, so that a retry can succeed. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    CONNECTION_ERROR_CODES.has(code) ||
    TRANSIENT_SQLSTATES.some((prefix) => code.startsWith(prefix)) ||
    CONNECTION_ERROR_MESSAGE.test(error.message)
  );
}

/** PostgreSQL's error codes, or their prefixes, for conditions that pass by themselves. */
const TRANSIENT_SQLSTATES: readonly string[] = [
  '08', // connection broken
  '40', // conflict with another transaction
  '53', // out of memory, disk or connections
  '57P', // starting, stopping or told to stop
  '58', // disk failure
  '25006', // read-only: another server has taken over
];

const CONNECTION_ERROR_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Errors of `pg` without a code: the connection ended, or none was free in time. */
const CONNECTION_ERROR_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;
