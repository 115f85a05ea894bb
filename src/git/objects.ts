import { byteReader } from './byte-reader.ts';
import { GitFailed, startGit } from './run-git.ts';

export type ObjectKind = 'commit' | 'tree' | 'blob' | 'tag';
export type GitObject = { readonly kind: ObjectKind; readonly bytes: Buffer };

/** A repository's objects through one process, however many are asked for. */
export type Objects = {
  /** Null where the repository does not have it. Throws as `runGit` does where git cannot go on. */
  readonly read: (id: string) => Promise<GitObject | null>;
  readonly close: () => Promise<void>;
};

/** Opens the objects of a repository. Answers come in the order of the questions, several of which may be under way. */
export function openObjects(gitDir: string): Objects {
  const git = startGit([`--git-dir=${gitDir}`, 'cat-file', '--batch']);
  const reader = byteReader(git.output);
  let last: Promise<unknown> = Promise.resolve();
  const next = async (): Promise<GitObject | null> => {
    const header = await reader.line();
    if (header === null) {
      await git.ended;
      throw new GitFailed('git ended before it had answered');
    }
    const [, kind = '', size = ''] = header.split(' ');
    if (!isKind(kind)) return null;
    const bytes = await reader.take(Number(size) + 1);
    if (bytes === null) throw new GitFailed('git ended in the middle of an object');
    return { kind, bytes: bytes.subarray(0, -1) };
  };
  return {
    read: (id) => {
      git.write(`${id}\n`);
      const answer = last.then(next);
      last = answer.catch(() => {});
      return answer;
    },
    close: async () => {
      git.end();
      await last;
      git.stop();
    },
  };
}

function isKind(word: string): word is ObjectKind {
  return word === 'commit' || word === 'tree' || word === 'blob' || word === 'tag';
}
