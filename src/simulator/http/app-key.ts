import { generateKeyPairSync } from 'node:crypto';

/** An App's key pair, PEM: PKCS#8 private, SPKI public. */
export type AppKey = { readonly privateKeyPem: string; readonly publicKeyPem: string };

let cached: AppKey | undefined;

/** The RSA key of this process's simulated App: making one takes a while, and nothing depends on which it is. */
export function appKey(): AppKey {
  cached ??= newAppKey();
  return cached;
}

function newAppKey(): AppKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return { privateKeyPem: privateKey, publicKeyPem: publicKey };
}
