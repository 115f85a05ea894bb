import { createPrivateKey } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { codePointName } from '../../core/edits/text/characters.ts';
import { errorCodeOf } from '../../lib/outage.ts';

/** The content of a key file, and its file mode. */
export type KeyFile = { readonly text: string; readonly mode: number };

export type PrivateKeyResult =
  | { readonly kind: 'key'; readonly pem: string; readonly warning: string | null }
  | { readonly kind: 'problem'; readonly problem: string };

const WHERE_TO_GET_A_KEY = 'generate one on the page of your GitHub App ("Private keys")';

/** Reads the App's key from a text or from a file. Exactly one must be given. */
export function readPrivateKey(
  text: string | undefined,
  path: string | undefined,
  readKeyFile: (path: string) => KeyFile,
): PrivateKeyResult {
  if (text !== undefined && path !== undefined)
    return { kind: 'problem', problem: 'PRIVATE_KEY and PRIVATE_KEY_PATH are both set: keep only one of them.' };
  if (text !== undefined) return checkPrivateKey('PRIVATE_KEY', text, null);
  if (path === undefined)
    return { kind: 'problem', problem: `PRIVATE_KEY or PRIVATE_KEY_PATH is missing: ${WHERE_TO_GET_A_KEY}.` };
  try {
    const file = readKeyFile(path);
    const mode = sharedPermissions(file.mode);
    const warning = mode === null ? null : `PRIVATE_KEY_PATH can be read by other users (mode ${mode}): chmod 600 it.`;
    return checkPrivateKey('PRIVATE_KEY_PATH', file.text, warning);
  } catch (error) {
    const code = error instanceof Error ? errorCodeOf(error) : '';
    // Docker creates a directory where the file of a mount is missing.
    const cause = code === 'EISDIR' ? 'it is a directory; Docker makes one where the file of a mount is missing' : code;
    const problem = `PRIVATE_KEY_PATH cannot be read: check that ${path} exists and is readable (${cause}).`;
    return { kind: 'problem', problem };
  }
}

function checkPrivateKey(name: string, text: string, warning: string | null): PrivateKeyResult {
  const forms = possibleForms(text);
  const types = forms.map(privateKeyType);
  const pem = forms[types.indexOf('rsa')];
  if (pem !== undefined) return { kind: 'key', pem, warning };
  const isOther = types.some((type) => type !== null);
  const problem = isOther ? 'is not an RSA key, which GitHub Apps require' : problemOf(forms);
  return { kind: 'problem', problem: `${name} ${problem}: ${WHERE_TO_GET_A_KEY}.` };
}

function problemOf(forms: readonly string[]): string {
  const has = (pattern: RegExp): boolean => forms.some((form) => pattern.test(form));
  if (has(/ENCRYPTED/)) return 'is encrypted with a passphrase: decrypt it with "openssl rsa -in app.pem", or';
  if (has(/BEGIN OPENSSH PRIVATE/)) return 'is an OpenSSH key, and the one that GitHub gave for the App is needed';
  if (has(/BEGIN (?:RSA )?PUBLIC KEY|BEGIN CERTIFICATE/)) return 'is public, and the private key is needed';
  if (has(/^\S+\.(?:pem|key)$/)) return 'is the name of a file: set PRIVATE_KEY_PATH to it, or';
  return 'is not a private key in PEM format (-----BEGIN … PRIVATE KEY-----): copy the whole file, or';
}

/**
 * The text as it is, and with what environments do to a key undone: quotes, `\n` or spaces for newlines, base64. Only a
 * form that is a key is used, so none can be mistaken for another.
 */
function possibleForms(text: string): readonly string[] {
  const unquoted = text.trim().replace(/^(["'])(.*)\1$/s, '$2');
  const lines = unquoted.replaceAll('\\r', '').replaceAll('\\n', '\n');
  const decoded = /^[A-Za-z0-9+/=_\s-]+$/.test(lines) ? Buffer.from(lines, 'base64').toString('latin1') : '';
  return [text, lines, inLines(lines), decoded, inLines(decoded)];
}

/** A PEM whose lines stand in one line. */
function inLines(pem: string): string {
  return pem.replace(/^\s*(-----BEGIN [A-Z ]+-----)([A-Za-z0-9+/=\s]+)(-----END [A-Z ]+-----)\s*$/, (_, ...parts) => {
    const [begin = '', body = '', end = ''] = parts.map(String);
    return [begin, ...(body.replaceAll(/\s/g, '').match(/.{1,64}/g) ?? []), end, ''].join('\n');
  });
}

/** Null if it is no private key. The error is not kept, because it can quote parts of the key. */
function privateKeyType(pem: string): string | null {
  try {
    return createPrivateKey(pem).asymmetricKeyType ?? null;
  } catch {
    return null;
  }
}

/** Reads a key file. Throws the errors of the file system. */
export function readKeyFile(path: string): KeyFile {
  return { text: readFileSync(path, 'utf8'), mode: statSync(path).mode };
}

/** The mode's permission bits in octal if group or others have any of them, else null. */
export function sharedPermissions(mode: number): string | null {
  return (mode & 0o077) === 0 ? null : (mode & 0o777).toString(8).padStart(4, '0');
}

/**
 * Why this cannot be the key of the model's endpoint, with nothing of it but the wrong character; null if it can be.
 * No header can hold most of these, so no request would leave, as if the endpoint were out of reach.
 */
export function findModelKeyProblem(key: string): string | null {
  const characters = [...key];
  const place = characters.findIndex((character) => !/^[!-~]$/.test(character));
  if (place === -1) return null;
  return `has ${codePointName(characters[place] ?? '')} as character ${place + 1}, which no key has: copy the whole key again, without quotation marks, spaces and line breaks.`;
}

const MIN_SECRET_LENGTH = 16;

/** Secrets from documentation and examples, reduced to lower-case letters and digits. */
const EXAMPLE_SECRETS = new Set(
  `development developmentdevelopment yourwebhooksecret yourwebhooksecrethere mywebhooksecret githubwebhooksecret
  webhooksecret webhooksecrethere supersecretwebhook changemechangeme replacewithasecret replacemewithasecret
  asecuresecretstring 1234567890123456 0123456789abcdef`.split(/\s+/),
);

/** The weakness of a webhook secret, or null. An attacker who guesses it can forge approvals. */
export function findSecretWeakness(secret: string): string | null {
  if (EXAMPLE_SECRETS.has(secret.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))) return 'is a well-known example';
  if (secret.length < MIN_SECRET_LENGTH) return `is shorter than ${MIN_SECRET_LENGTH} characters`;
  return new Set(secret).size < 5 ? 'is made of too few different characters' : null;
}
