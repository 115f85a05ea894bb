import { HIDDEN, withoutCredentials } from '../policy/credentials.ts';

function escaped(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

/**
 * Makes the function that takes these secrets, and everything that looks like a credential, out of a text.
 * Secrets are recognised as they are and as JSON writes them; very short ones are left, or words would vanish.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const known = secrets.filter((secret) => secret.length >= 6).flatMap((secret) => [escaped(secret), secret]);
  return (text) => withoutCredentials(known.reduce((rest, secret) => rest.replaceAll(secret, () => HIDDEN), text));
}
