import { createPrivateKey } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { errorCodeOf } from '../../lib/outage.ts';

/** The content of a key file, and its file mode. */
export type KeyFile = { readonly text: string; readonly mode: number };

export type PrivateKeyResult =
  | { readonly kind: 'key'; readonly pem: string; readonly warning: string | null }
  | { readonly kind: 'problem'; readonly problem: string };

/** Reads the App's key from a text (in which `\n` is a newline) or from a file. Exactly one must be given. */
export function readPrivateKey(
  text: string | undefined,
  path: string | undefined,
  readKeyFile: (path: string) => KeyFile,
): PrivateKeyResult {
  if (text !== undefined && path !== undefined)
    return { kind: 'problem', problem: 'PRIVATE_KEY and PRIVATE_KEY_PATH are both set: keep only one of them.' };
  if (text !== undefined) return checkPrivateKey('PRIVATE_KEY', text.replaceAll('\\n', '\n'), null);
  if (path !== undefined) return readKeyFromFile(path, readKeyFile);
  return { kind: 'problem', problem: `PRIVATE_KEY or PRIVATE_KEY_PATH is missing: ${WHERE_TO_GET_A_KEY}.` };
}

const WHERE_TO_GET_A_KEY = 'generate one on the page of your GitHub App ("Private keys")';

function checkPrivateKey(name: string, pem: string, warning: string | null): PrivateKeyResult {
  try {
    const { asymmetricKeyType } = createPrivateKey(pem);
    if (asymmetricKeyType === 'rsa') return { kind: 'key', pem, warning };
    return { kind: 'problem', problem: `${name} is not an RSA key, which GitHub Apps require: ${WHERE_TO_GET_A_KEY}.` };
  } catch {
    // The error is not included, because it can quote parts of the key.
    return {
      kind: 'problem',
      problem: `${name} is not a private key in PEM format (-----BEGIN … PRIVATE KEY-----): copy the whole file, or ${WHERE_TO_GET_A_KEY}.`,
    };
  }
}

function readKeyFromFile(path: string, readKeyFile: (path: string) => KeyFile): PrivateKeyResult {
  try {
    const file = readKeyFile(path);
    const mode = sharedPermissions(file.mode);
    const warning = mode === null ? null : `PRIVATE_KEY_PATH can be read by other users (mode ${mode}): chmod 600 it.`;
    return checkPrivateKey('PRIVATE_KEY_PATH', file.text, warning);
  } catch (error) {
    return { kind: 'problem', problem: `PRIVATE_KEY_PATH ${unreadableKeyFile(path, error)}` };
  }
}

/** Docker creates a directory where the file of a mount is missing. */
function unreadableKeyFile(path: string, error: unknown): string {
  const code = error instanceof Error ? errorCodeOf(error) : '';
  if (code === 'EISDIR')
    return `cannot be read: ${path} is a directory. Name the .pem file in it; if Docker made the directory, the file of the mount is missing.`;
  return `cannot be read: check that ${path} exists and is readable${code === '' ? '' : ` (${code})`}.`;
}

/** Reads a key file. Throws the errors of the file system. */
export function readKeyFile(path: string): KeyFile {
  return { text: readFileSync(path, 'utf8'), mode: statSync(path).mode };
}

/** The weakness of a webhook secret, or null. An attacker who guesses it can forge approvals. */
export function findSecretWeakness(secret: string): string | null {
  const plain = secret.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  if (WELL_KNOWN_SECRETS.has(plain)) return 'is a well-known example';
  if (secret.length < MIN_SECRET_LENGTH) return `is shorter than ${MIN_SECRET_LENGTH} characters`;
  if (new Set(secret).size < 5) return 'is made of too few different characters';
  return null;
}

const MIN_SECRET_LENGTH = 16;

/** Secrets from documentation and examples, reduced to lower-case letters and digits. */
const WELL_KNOWN_SECRETS = new Set([
  'development',
  'developmentdevelopment',
  'yourwebhooksecret',
  'yourwebhooksecrethere',
  'mywebhooksecret',
  'githubwebhooksecret',
  'webhooksecret',
  'webhooksecrethere',
  'supersecretwebhook',
  'changemechangeme',
  'replacewithasecret',
  'replacemewithasecret',
  'asecuresecretstring',
  '1234567890123456',
  '0123456789abcdef',
]);

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
function sharedPermissions(mode: number): string | null {
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
