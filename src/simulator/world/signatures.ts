import { type Commit, putCommit, type Signature, unsignedText } from '../git/commit-object.ts';
import { objectId, type Sha } from '../git/object-store.ts';
import type { Account, Site, World } from './state.ts';
import { secondsOf } from './timestamp.ts';

type Sited = Pick<World, 'site'>;

/** The domain of addresses that belong to GitHub itself: its own, or that of an Enterprise Server. */
function domainOf({ server, html }: Site): string {
  return server === undefined ? 'github.com' : new URL(html).hostname;
}

/** The address GitHub gives to every account for commits made on its pages. */
export function addressOf({ site }: Sited, account: Account): string {
  return `${account.id}+${account.login}@users.noreply.${domainOf(site)}`;
}

/** How commits name an account: its login and the address GitHub gives to everybody. */
export function personSignature(world: Sited, account: Account, now: number): Signature {
  return { name: account.login, email: addressOf(world, account), seconds: secondsOf(now) };
}

/** The committer of everything that is committed on GitHub itself. */
export function gitHubCommitter({ site }: Sited): Pick<Signature, 'name' | 'email'> {
  const name = site.server === undefined ? 'GitHub' : 'GitHub Enterprise';
  return { name, email: `noreply@${domainOf(site)}` };
}

/**
 * Stores a commit made on GitHub itself: committed by GitHub and signed, which shows as verified; an Enterprise Server
 * does not sign unless its owner set that up. The signature is a stand-in that names what it signs; no key is behind
 * it.
 */
export function putGitHubCommit(
  world: Pick<World, 'site' | 'store'>,
  content: Pick<Commit, 'tree' | 'parents' | 'message' | 'author'>,
  now: number,
): Sha {
  const committer = { ...gitHubCommitter(world), seconds: secondsOf(now) };
  const unsigned: Commit = { ...content, committer, signature: null };
  if (world.site.server !== undefined) return putCommit(world.store, unsigned);
  const digest = objectId('commit', new TextEncoder().encode(unsignedText(unsigned)));
  const signature = `-----BEGIN PGP SIGNATURE-----\n\n${digest}\n-----END PGP SIGNATURE-----\n`;
  return putCommit(world.store, { ...unsigned, signature });
}
