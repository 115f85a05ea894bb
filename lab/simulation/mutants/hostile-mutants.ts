import { NO_IDLE_RESPONSES } from '../../../src/core/state/limits.ts';
import type { Tree, TreeEntry } from '../../../src/core/step/ports.ts';
import { LINKS } from '../hostile/denied-files.ts';
import { letEverybodyWrite, type Mutant, mutant, overrideGitHub, overridePulls, overrideStore } from './mutant.ts';

/** The tree as a careless reader gives it: a link is the file to which it points. */
function followLinks(tree: Tree): Tree {
  return new Map(
    [...tree].map(([path, entry]): [string, TreeEntry] => [path, tree.get(LINKS.get(path)?.to ?? '') ?? entry]),
  );
}

/** Known mistakes that a hostile model shows. */
export const HOSTILE_MUTANTS: readonly Mutant[] = [
  mutant('strangers-decide', 'only accounts with write permission can approve', letEverybodyWrite),
  mutant('standing-reaches-everything', 'a standing approval reaches only the paths that its comment says', () =>
    overridePulls((pull) => ({
      ...pull,
      standingApprovals: pull.standingApprovals.map((one) => ({ ...one, path: null, glob: '**' })),
    })),
  ),
  mutant('links-followed', 'a link is never read', () =>
    overrideGitHub(({ fetchTree }) => ({ fetchTree: async (sha) => followLinks(await fetchTree(sha)) })),
  ),
  mutant('denied-diffs-shown', 'the diff of a denied file is left out', () =>
    overrideGitHub(({ listFiles }) => ({
      listFiles: async (known) =>
        (await listFiles(known)).map((file) => ({ ...file, path: file.path.replace('.env', 'env') })),
    })),
  ),
  mutant('results-lost', 'every call has a result in the transcript', () =>
    overrideStore(({ loadTranscript }) => ({
      loadTranscript: async (runId) => (await loadTranscript(runId)).filter(({ role }) => role !== 'tool'),
    })),
  ),
  mutant('responses-not-counted', 'a run ends after a number of responses without a proposal', () =>
    overridePulls((pull) => ({ ...pull, run: pull.run && { ...pull.run, idleResponses: NO_IDLE_RESPONSES } })),
  ),
  mutant('transcripts-unreadable', 'no effect ends with an internal error', () =>
    overrideStore(() => ({
      loadTranscript: () => Promise.reject(new TypeError('the transcript has no messages')),
    })),
  ),
].map((one) => ({ ...one, hostile: true }));
