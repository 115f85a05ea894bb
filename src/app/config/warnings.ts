import { statSync } from 'node:fs';

/** The mode of a file or directory; null if it is missing or hidden. */
export type ReadMode = (path: string) => number | null;

/** Reads a mode from the file system. */
export function readMode(path: string): number | null {
  try {
    return statSync(path).mode;
  } catch {
    return null;
  }
}

/** The mode's permission bits in octal if group or others have any of them, else null. */
export function sharedPermissions(mode: number): string | null {
  return (mode & 0o077) === 0 ? null : (mode & 0o777).toString(8).padStart(4, '0');
}

/** The part of the configuration that can be unsafe. */
type CheckedConfig = {
  readonly database: { readonly url: string | null; readonly dataDir: string };
  readonly github: { readonly host: string; readonly protocol: 'http' | 'https' };
  readonly model: { readonly baseUrl: string | null };
};

/** Settings that work, but let others on the machine or the network read or change what they should not. */
export function listWarnings({ database, github, model }: CheckedConfig, mode: ReadMode): readonly string[] {
  const warnings = [
    database.url === null ? dataDirWarning(database.dataDir, mode) : sslModeWarning(database.url),
    github.host !== 'github.com' && isPlainAndRemote(`${github.protocol}://${github.host}`)
      ? 'GHE_PROTOCOL is http: tokens and code travel to GHE_HOST unencrypted. Use https.'
      : null,
    model.baseUrl !== null && isPlainAndRemote(model.baseUrl)
      ? 'OPENAI_BASE_URL is plain http to another host: code and the key travel unencrypted. Use https.'
      : null,
  ];
  return warnings.filter((warning) => warning !== null);
}

function dataDirWarning(path: string, mode: ReadMode): string | null {
  const permissions = sharedPermissions(mode(path) ?? 0);
  return permissions === null ? null : `DATA_DIR can be accessed by other users (mode ${permissions}): chmod 700 it.`;
}

const MISREAD_SSL_MODES: readonly (string | null)[] = ['prefer', 'require', 'verify-ca'];

/** Other programs check no certificate in these modes, or not its host name. */
function sslModeWarning(databaseUrl: string): string | null {
  if (!URL.canParse(databaseUrl)) return null;
  const parameters = new URL(databaseUrl).searchParams;
  const mode = parameters.get('sslmode');
  if (!MISREAD_SSL_MODES.includes(mode) || parameters.get('uselibpqcompat') === 'true') return null;
  return `DATABASE_URL has sslmode=${mode}, which means verify-full here: the server needs a certificate that is valid for its host name. Write sslmode=verify-full, and sslrootcert=PATH for a CA of your own.`;
}

const LOOPBACK_HOST = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function isPlainAndRemote(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !LOOPBACK_HOST.test(hostname);
}
