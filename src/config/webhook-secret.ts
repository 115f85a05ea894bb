const SHORTEST = 16;

/** Secrets that stand in documentation and examples, letters and digits only: anybody may try them. */
const KNOWN = new Set([
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

/**
 * Why a webhook secret protects nothing, or null for a good one.
 * Whoever guesses it can make the App believe that a maintainer approved.
 */
export function weakness(secret: string): string | null {
  const plain = secret.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  if (KNOWN.has(plain)) return 'is one that everybody knows';
  if (secret.length < SHORTEST) return `is shorter than ${SHORTEST} characters`;
  if (new Set(secret).size < 5) return 'is made of very few characters';
  return null;
}
