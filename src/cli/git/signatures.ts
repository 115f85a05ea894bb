import { gitText } from './run-git.ts';

/** Git's letters for signatures (`%G?`) that no key makes acceptable, with the reason. */
const PROBLEMS: Readonly<Record<string, string>> = {
  // Git also says so of a signed commit if it cannot start gpg.
  N: 'not signed, or gpg is not installed',
  B: 'its signature is wrong',
  E: 'its signature cannot be checked; import the key with gpg --import',
  R: 'its signature is by a revoked key',
  X: 'its signature has expired',
};

/**
 * Why git, as in `git verify-commit`, does not accept a signature of the commit by one of these keys (fingerprints in
 * upper case); null if it does. A key that expired after it signed is accepted. Throws like `runGit`.
 */
export async function findSignatureProblem(
  gitDir: string,
  commit: string,
  keys: readonly string[],
): Promise<string | null> {
  const format = '--format=%G?%n%GF%n%GP';
  const args = ['log', '-1', '--no-show-signature', '--no-color', format, '--end-of-options', commit, '--'];
  const [letter = '', ...fingerprints] = (await gitText([`--git-dir=${gitDir}`, ...args])).split('\n');
  const problem = PROBLEMS[letter];
  if (problem !== undefined) return problem;
  const isByKey = ['G', 'U', 'Y'].includes(letter) && fingerprints.some((key) => keys.includes(key));
  return isByKey ? null : 'signed by another key';
}
