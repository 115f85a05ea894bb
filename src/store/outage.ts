/** Conditions of PostgreSQL that pass without anybody changing what was asked: its codes, or their first two letters. */
const PASSING: readonly string[] = [
  '08', // the connection broke
  '40', // another transaction was in the way
  '53', // no memory, disk or connection was left
  '57P', // it is starting, stopping, or was told to stop
  '58', // the disk failed
  '25006', // it only reads: another server has taken over
];
/** Of the sockets below it. */
const BROKEN: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);
/** What `pg` says, without a code, of connections that ended, or that none was free in time. */
const NO_CONNECTION =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Whether the database was away or hindered, so that the same may well go through later. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return BROKEN.has(code) || PASSING.some((prefix) => code.startsWith(prefix)) || NO_CONNECTION.test(error.message);
}
