import { statSync } from 'node:fs';
import { join } from 'node:path';
import { closestName } from '../../lib/closest-name.ts';
import { sharedPermissions } from './keys.ts';

/** The mode of a file or directory; null if it is missing or hidden. */
export type ReadMode = (path: string) => number | null;

/** Reads a mode from the file system. */
export function readMode(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? null;
}

/** The part of the configuration that can be unsafe. */
type CheckedConfig = {
  readonly paused: boolean;
  readonly database: { readonly url: string | null; readonly dataDir: string };
  readonly github: { readonly host: string; readonly protocol: 'http' | 'https' };
  readonly model: { readonly baseUrl: string | null };
};

/**
 * Settings that work, but not as the operator might think, or that let others on the machine or the network read or
 * change what they should not.
 */
export function listWarnings({ paused, database, github, model }: CheckedConfig, mode: ReadMode): readonly string[] {
  const warnings = [
    paused ? 'PAUSED is 1: webhooks are stored, and nothing else happens until a restart without it.' : null,
    database.url === null ? dataDirWarning(database.dataDir, mode) : sslModeWarning(database.url),
    database.url === null ? null : unusedDatabaseWarning(database.dataDir, mode),
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

/** The stored data is not moved, so runs and decisions would seem to be lost. */
function unusedDatabaseWarning(dataDir: string, mode: ReadMode): string | null {
  if (mode(join(dataDir, 'database', 'PG_VERSION')) === null) return null;
  return `DATA_DIR (${dataDir}) has a database that is not used, because DATABASE_URL is set: unset it to use that one, or move the directory away.`;
}

const LOOPBACK_HOST = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function isPlainAndRemote(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !LOOPBACK_HOST.test(hostname);
}

/** Shorter names have too many neighbours among the variables of other programs, such as PATH for PORT. */
const MIN_LENGTH = 7;

/** One line for each variable that is one or two letters away from one of ours that is not set. */
export function listMisspelt(
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): readonly string[] {
  const unset = names.filter((name) => name.length >= MIN_LENGTH && environment[name] === undefined);
  if (unset.length === 0) return [];
  return Object.keys(environment).flatMap((written) => {
    if (written.length < MIN_LENGTH || names.includes(written)) return [];
    const meant = closestName(written, unset);
    return meant === null ? [] : [`${written} is no variable of Countersign: did you mean ${meant}?`];
  });
}

const MISREAD_SSL_MODES: readonly (string | null)[] = ['prefer', 'require', 'verify-ca'];

/** Other programs check no certificate in these modes, or not its host name. */
function sslModeWarning(databaseUrl: string): string | null {
  const parameters = new URL(databaseUrl).searchParams;
  const mode = parameters.get('sslmode');
  if (!MISREAD_SSL_MODES.includes(mode) || parameters.get('uselibpqcompat') === 'true') return null;
  return `DATABASE_URL has sslmode=${mode}, which means verify-full here: the server needs a certificate that is valid for its host name. Write sslmode=verify-full, and sslrootcert=PATH for a CA of your own.`;
}
