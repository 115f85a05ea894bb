const HIDDEN = '[redacted]';

/**
 * Credentials by their look, whoever they belong to. They match inside JSON too, where a newline is `\n`.
 * Each is linear in the text's length: strangers' words may stand in it.
 */
const SHAPES: readonly RegExp[] = [
  /gh[a-z]_[A-Za-z0-9._-]{10,}/g,
  /github_pat_[A-Za-z0-9_]{10,}/g,
  /eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,}/g,
  /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s]|\\n|\\r)*(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?/g,
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /(?<=\/\/)[^\s/"'@:]*:[^\s/"'@]*(?=@)/g,
];

function escaped(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

/**
 * Makes the function that takes these secrets, and everything that looks like a credential, out of a text.
 * Secrets are recognised as they are and as JSON writes them; very short ones are left, or words would vanish.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const known = secrets.filter((secret) => secret.length >= 6).flatMap((secret) => [escaped(secret), secret]);
  return (text) => {
    const withoutKnown = known.reduce((rest, secret) => rest.replaceAll(secret, () => HIDDEN), text);
    return SHAPES.reduce((rest, shape) => rest.replace(shape, HIDDEN), withoutKnown);
  };
}
