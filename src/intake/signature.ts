import { createHmac, timingSafeEqual } from 'node:crypto';

const FORM = /^sha256=[0-9a-f]{64}$/;

/** Whether a header has the form of a SHA-256 signature: what has not is refused before the body is read. */
export function isSignature(header: string | undefined): header is string {
  return header !== undefined && FORM.test(header);
}

/** Whether `signature` (of the form above) signs exactly these bytes with one of the secrets. */
export function isSignedBy(secrets: readonly string[], bytes: Uint8Array, signature: string): boolean {
  const given = Buffer.from(signature);
  return secrets.some((secret) => {
    const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`);
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
}
