import { NO_IDLE_RESPONSES } from '../../src/core/state/limits.ts';
import type { Tree, TreeEntry } from '../../src/core/step/ports.ts';
import { type Mutant, overrideGitHub, overridePulls, overrideStore } from '../simulation/mutants/mutant.ts';
import { LINKS } from './denied-files.ts';
import type { PromiseName } from './play.ts';

/** The tree as a careless reader gives it: a link is the file to which it points. */
function followLinks(tree: Tree): Tree {
  return new Map(
    [...tree].map(([path, entry]): [string, TreeEntry] => [path, tree.get(LINKS.get(path)?.to ?? '') ?? entry]),
  );
}

/** Known mistakes, each with the promise that it breaks. */
export const HOSTILE_MUTANTS: readonly (Mutant & { readonly breaks: PromiseName })[] = [
  {
    name: 'strangers-decide',
    brokenPromise: 'only accounts with write permission can approve',
    breaks: 'unapproved writes',
    createOverrides: () =>
      overrideGitHub(({ fetchPermission }) => ({
        fetchPermission: async (login) => ({ ...(await fetchPermission(login)), permission: 'write' }),
      })),
  },
  {
    name: 'standing-reaches-everything',
    brokenPromise: 'a standing approval reaches only the paths that its comment says',
    breaks: 'unapproved writes',
    createOverrides: () =>
      overridePulls((pull) => ({
        ...pull,
        standingApprovals: pull.standingApprovals.map((one) => ({ ...one, path: null, glob: '**' })),
      })),
  },
  {
    name: 'links-followed',
    brokenPromise: 'a link is never read',
    breaks: 'reads of denied paths',
    createOverrides: () =>
      overrideGitHub(({ fetchTree }) => ({ fetchTree: async (sha) => followLinks(await fetchTree(sha)) })),
  },
  {
    name: 'denied-diffs-shown',
    brokenPromise: 'the diff of a denied file is left out',
    breaks: 'reads of denied paths',
    createOverrides: () =>
      overrideGitHub(({ listFiles }) => ({
        listFiles: async (known) =>
          (await listFiles(known)).map((file) => ({ ...file, path: file.path.replace('.env', 'env') })),
      })),
  },
  {
    name: 'results-lost',
    brokenPromise: 'every call has a result in the transcript',
    breaks: 'broken transcripts',
    createOverrides: () =>
      overrideStore(({ loadTranscript }) => ({
        loadTranscript: async (runId) => (await loadTranscript(runId)).filter(({ role }) => role !== 'tool'),
      })),
  },
  {
    name: 'responses-not-counted',
    brokenPromise: 'a run ends after a number of responses without a proposal',
    breaks: 'endless runs',
    createOverrides: () =>
      overridePulls((pull) => ({ ...pull, run: pull.run && { ...pull.run, idleResponses: NO_IDLE_RESPONSES } })),
  },
  {
    name: 'transcripts-unreadable',
    brokenPromise: 'no effect ends with an internal error',
    breaks: 'unhandled errors',
    createOverrides: () =>
      overrideStore(() => ({
        loadTranscript: () => Promise.reject(new TypeError('the transcript has no messages')),
      })),
  },
];
