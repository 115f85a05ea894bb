import { createPrivateKey } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { codePointName } from '../../core/edits/text/unicode.ts';
import { errorCodeOf } from '../../lib/outage.ts';
import { sharedPermissions } from './modes.ts';

/** The content of a key file, and its file mode. */
export type KeyFile = { readonly text: string; readonly mode: number };

export type PrivateKeyResult =
  | { readonly kind: 'key'; readonly pem: string; readonly warning: string | null }
  | { readonly kind: 'problem'; readonly problem: string };

/** Reads the App's key from a text or from a file. Exactly one must be given. */
export function readPrivateKey(
  text: string | undefined,
  path: string | undefined,
  readKeyFile: (path: string) => KeyFile,
): PrivateKeyResult {
  if (text !== undefined && path !== undefined)
    return { kind: 'problem', problem: 'PRIVATE_KEY and PRIVATE_KEY_PATH are both set: keep only one of them.' };
  if (text !== undefined) return checkPrivateKey('PRIVATE_KEY', text, null);
  if (path !== undefined) return readKeyFromFile(path, readKeyFile);
  return { kind: 'problem', problem: `PRIVATE_KEY or PRIVATE_KEY_PATH is missing: ${WHERE_TO_GET_A_KEY}.` };
}

const WHERE_TO_GET_A_KEY = 'generate one on the page of your GitHub App ("Private keys")';

function checkPrivateKey(name: string, text: string, warning: string | null): PrivateKeyResult {
  const forms = possibleForms(text);
  for (const pem of forms) {
    const type = privateKeyType(pem);
    if (type === 'rsa') return { kind: 'key', pem, warning };
    if (type !== null)
      return {
        kind: 'problem',
        problem: `${name} is not an RSA key, which GitHub Apps require: ${WHERE_TO_GET_A_KEY}.`,
      };
  }
  const problem = UNUSABLE_KEYS.find(({ pattern }) => forms.some((form) => pattern.test(form)))?.problem;
  return { kind: 'problem', problem: `${name} ${problem ?? NO_PEM}` };
}

const NO_PEM = `is not a private key in PEM format (-----BEGIN … PRIVATE KEY-----): copy the whole file, or ${WHERE_TO_GET_A_KEY}.`;

/** Contents that look usable, with the operator's next step. */
const UNUSABLE_KEYS: readonly { readonly pattern: RegExp; readonly problem: string }[] = [
  {
    pattern: /-----BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/,
    problem: `is encrypted with a passphrase: decrypt it with "openssl rsa -in app.pem -out decrypted.pem", or ${WHERE_TO_GET_A_KEY}.`,
  },
  {
    pattern: /-----BEGIN (?:RSA )?PUBLIC KEY|-----BEGIN CERTIFICATE/,
    problem: `is public, and the private key is needed: ${WHERE_TO_GET_A_KEY}.`,
  },
  {
    pattern: /^[^\s]+\.(?:pem|key)$/,
    problem: 'is the name of a file: set PRIVATE_KEY_PATH to it, and remove PRIVATE_KEY.',
  },
];

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
