import { type Commit, putCommit, type Signature, unsignedText } from '../git/commit-object.ts';
import { type ObjectStore, objectId, type Sha } from '../git/object-store.ts';
import type { Account } from './state.ts';
import { secondsOf } from './timestamp.ts';

/** The address GitHub gives to every account for commits made on its pages. */
export function addressOf(account: Account): string {
  return `${account.id}+${account.login}@users.noreply.github.com`;
}

/** How commits name an account: its login and the address GitHub gives to everybody. */
export function personSignature(account: Account, now: number): Signature {
  return { name: account.login, email: addressOf(account), seconds: secondsOf(now) };
}

/** The committer of everything that is committed on GitHub itself. */
export function gitHubSignature(now: number): Signature {
  return { name: 'GitHub', email: 'noreply@github.com', seconds: secondsOf(now) };
}

/**
 * Stores a commit made on GitHub itself: committed by GitHub and signed, which shows as
 * verified. The signature is a stand-in that names what it signs; no key is behind it.
 */
export function putVerifiedCommit(
  store: ObjectStore,
  content: Pick<Commit, 'tree' | 'parents' | 'message' | 'author'>,
  now: number,
): Sha {
  const unsigned: Commit = { ...content, committer: gitHubSignature(now), signature: null };
  const digest = objectId('commit', new TextEncoder().encode(unsignedText(unsigned)));
  const signature = `-----BEGIN PGP SIGNATURE-----\n\n${digest}\n-----END PGP SIGNATURE-----\n`;
  return putCommit(store, { ...unsigned, signature });
}
