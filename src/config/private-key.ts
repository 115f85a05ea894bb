import { createPrivateKey } from 'node:crypto';

/** A text file with the permission bits of its mode. */
export type KeyFile = { readonly text: string; readonly mode: number };

export type KeyReading =
  | { readonly kind: 'key'; readonly pem: string; readonly warning: string | null }
  | { readonly kind: 'problem'; readonly problem: string };

const WHERE = 'generate one on the page of your GitHub App ("Private keys")';

function check(name: string, pem: string, warning: string | null): KeyReading {
  try {
    const { asymmetricKeyType } = createPrivateKey(pem);
    if (asymmetricKeyType === 'rsa') return { kind: 'key', pem, warning };
    return { kind: 'problem', problem: `${name} is no RSA key: GitHub Apps have RSA keys; ${WHERE}.` };
  } catch {
    // The cause is left out on purpose: it may quote parts of the key.
    return {
      kind: 'problem',
      problem: `${name} is no private key in PEM form (-----BEGIN … PRIVATE KEY-----): copy the whole file, or ${WHERE}.`,
    };
  }
}

function readFromFile(path: string, readKeyFile: (path: string) => KeyFile): KeyReading {
  try {
    const file = readKeyFile(path);
    const open = (file.mode & 0o077) !== 0;
    const mode = (file.mode & 0o777).toString(8).padStart(4, '0');
    const warning = open ? `PRIVATE_KEY_PATH can be read by other users (mode ${mode}): chmod 600 it.` : null;
    return check('PRIVATE_KEY_PATH', file.text, warning);
  } catch {
    return { kind: 'problem', problem: `PRIVATE_KEY_PATH cannot be read: check that ${path} exists and is readable.` };
  }
}

/** The App's key, given as text (where `\n` stands for a newline) or as a file's path; exactly one of them. */
export function readPrivateKey(
  text: string | undefined,
  path: string | undefined,
  readKeyFile: (path: string) => KeyFile,
): KeyReading {
  if (text !== undefined && path !== undefined)
    return { kind: 'problem', problem: 'PRIVATE_KEY and PRIVATE_KEY_PATH are both set: keep only one of them.' };
  if (text !== undefined) return check('PRIVATE_KEY', text.replaceAll('\\n', '\n'), null);
  if (path !== undefined) return readFromFile(path, readKeyFile);
  return { kind: 'problem', problem: `PRIVATE_KEY or PRIVATE_KEY_PATH is missing: ${WHERE}.` };
}
