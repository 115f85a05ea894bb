const PROTOCOLS: readonly string[] = ['postgres:', 'postgresql:'];

const SSL_MODES: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** Why this cannot be a DATABASE_URL, without its password; null if it can be one. */
export function findDatabaseUrlProblem(value: string): string | null {
  if (hasUnescapedCharacter(value))
    return 'has a "#", "/", "?", "@" or "%" in its user, password or name that stands for itself: write %23, %2F, %3F, %40 or %25 instead.';
  if (!URL.canParse(value)) return NO_ADDRESS;
  const { protocol, pathname, searchParams } = new URL(value);
  if (!PROTOCOLS.includes(protocol)) return NO_ADDRESS;
  // Without a name, PostgreSQL takes the user's name, and the tables land in a database that somebody else uses.
  if (!/^\/[^/]/.test(pathname)) return 'must end with the name of a database, as in postgres://user@host/countersign.';
  const unknown = searchParams.getAll('sslmode').find((mode) => !SSL_MODES.includes(mode));
  return unknown === undefined ? null : `has sslmode=${unknown}, which must be one of ${SSL_MODES.join(', ')}.`;
}

const NO_ADDRESS = 'must be a postgres:// address.';

/** A character of a password that ends the part of the address before the host, or that begins no escape. */
function hasUnescapedCharacter(value: string): boolean {
  const [, authority = '', path = '', query = '', fragment = ''] =
    /^\w+:\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(value) ?? [];
  const isCutOff = !authority.includes('@') && (path.includes('@') || (path === '' && query.includes('@')));
  return isCutOff || fragment !== '' || !isDecodable(authority) || !isDecodable(path);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
