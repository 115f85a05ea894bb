/** A fault with a known cause, which its message names completely: the log leaves out its stack. */
export class KnownFaultError extends Error {
  override readonly name: string = 'KnownFaultError';
}

/**
 * Whether the database was unreachable, overloaded, unable to write or closed to this role, so that a retry can succeed
 * once it has recovered or an administrator has helped.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = errorCodeOf(error);
  return (
    CONNECTION_ERROR_CODES.has(code) ||
    OUTAGE_SQLSTATES.some((prefix) => code.startsWith(prefix)) ||
    CONNECTION_ERROR_MESSAGE.test(error.message)
  );
}

/**
 * PostgreSQL's error codes, or their prefixes, for conditions that pass by themselves or that an administrator ends.
 */
const OUTAGE_SQLSTATES: readonly string[] = [
  '08', // connection broken
  '28', // login refused
  '3D000', // database gone
  '3F000', // schema gone, or closed to the role
  '40', // conflict with another transaction
  '42501', // right taken from the role
  '42P01', // table gone, or in a schema that is closed to the role
  '53', // out of memory, disk or connections
  '55000', // database accepts no connections
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

/** The code of an error of Node or PostgreSQL; empty if it has none. */
export function errorCodeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
