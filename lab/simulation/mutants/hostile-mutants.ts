import { NO_IDLE_RESPONSES } from '../../../src/core/state/limits.ts';
import type { Tree, TreeEntry } from '../../../src/core/step/ports.ts';
import { LINKS } from '../hostile/denied-files.ts';
import { letEverybodyWrite, type Mutant, overrideGitHub, overridePulls, overrideStore } from './mutant.ts';

/** The tree as a careless reader gives it: a link is the file to which it points. */
function followLinks(tree: Tree): Tree {
  return new Map(
    [...tree].map(([path, entry]): [string, TreeEntry] => [path, tree.get(LINKS.get(path)?.to ?? '') ?? entry]),
  );
}

/** Known mistakes that a hostile model shows. */
export const HOSTILE_MUTANTS: readonly Mutant[] = [
  {
    name: 'strangers-decide',
    hostile: true,
    brokenPromise: 'only accounts with write permission can approve',
    createOverrides: letEverybodyWrite,
  },
  {
    name: 'standing-reaches-everything',
    hostile: true,
    brokenPromise: 'a standing approval reaches only the paths that its comment says',
    createOverrides: () =>
      overridePulls((pull) => ({
        ...pull,
        standingApprovals: pull.standingApprovals.map((one) => ({ ...one, path: null, glob: '**' })),
      })),
  },
  {
    name: 'links-followed',
    hostile: true,
    brokenPromise: 'a link is never read',
    createOverrides: () =>
      overrideGitHub(({ fetchTree }) => ({ fetchTree: async (sha) => followLinks(await fetchTree(sha)) })),
  },
  {
    name: 'denied-diffs-shown',
    hostile: true,
    brokenPromise: 'the diff of a denied file is left out',
    createOverrides: () =>
      overrideGitHub(({ listFiles }) => ({
        listFiles: async (known) =>
          (await listFiles(known)).map((file) => ({ ...file, path: file.path.replace('.env', 'env') })),
      })),
  },
  {
    name: 'results-lost',
    hostile: true,
    brokenPromise: 'every call has a result in the transcript',
    createOverrides: () =>
      overrideStore(({ loadTranscript }) => ({
        loadTranscript: async (runId) => (await loadTranscript(runId)).filter(({ role }) => role !== 'tool'),
      })),
  },
  {
    name: 'responses-not-counted',
    hostile: true,
    brokenPromise: 'a run ends after a number of responses without a proposal',
    createOverrides: () =>
      overridePulls((pull) => ({ ...pull, run: pull.run && { ...pull.run, idleResponses: NO_IDLE_RESPONSES } })),
  },
  {
    name: 'transcripts-unreadable',
    hostile: true,
    brokenPromise: 'no effect ends with an internal error',
    createOverrides: () =>
      overrideStore(() => ({
        loadTranscript: () => Promise.reject(new TypeError('the transcript has no messages')),
      })),
  },
];
