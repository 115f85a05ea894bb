import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportBareRepository } from '../../../../fakes/github/git/export.ts';
import {
  createObjectStore,
  type GitFileMode,
  type GitSignature,
  putBlob,
  putGitCommit,
} from '../../../../fakes/github/git/objects.ts';
import { updateTree } from '../../../../fakes/github/git/trees.ts';
import type { VerifiedChange } from '../../../../src/cli/verify/check-commit.ts';
import { verifyRange } from '../../../../src/cli/verify/verify.ts';

export const APP: GitSignature = {
  name: 'countersign[bot]',
  email: '77+countersign[bot]@users.noreply.github.com',
  seconds: 1_800_000_000,
};

export const GITHUB: GitSignature = { name: 'GitHub', email: 'noreply@github.com', seconds: 1_800_000_000 };

export const ANA: GitSignature = { name: 'Ana', email: 'ana@example.com', seconds: 1_800_000_000 };

type Content = string | Uint8Array | { readonly mode: GitFileMode; readonly bytes: string | Uint8Array } | null;

export type NewCommit = {
  /** Changes relative to the parent; null deletes a file. */
  readonly files: Readonly<Record<string, Content>>;
  readonly message: string;
  readonly author?: GitSignature;
  readonly committer?: GitSignature;
  readonly signed?: boolean;
  readonly parents?: readonly string[];
};

export type History = {
  readonly commit: (commit: NewCommit) => string;
  /** Writes the repository to a directory with branch `main`; returns its path. */
  readonly write: () => string;
  /** The verification results of all commits. */
  readonly verify: (rule?: { readonly slug?: string; readonly host?: string }) => Promise<readonly VerifiedChange[]>;
  readonly remove: () => void;
};

/** A repository in git's own object format; commits are the App's by default. */
export function newHistory(): History {
  const store = createObjectStore();
  const made: string[] = [];
  const trees = new Map<string, string>();
  let head: string | undefined;
  const write = (): string => {
    const directory = mkdtempSync(join(tmpdir(), 'countersign-verify-'));
    made.push(directory);
    exportBareRepository(store, { refs: new Map([['refs/heads/main', head ?? '']]), defaultBranch: 'main' }, directory);
    return directory;
  };
  return {
    commit: ({ files, message, author = APP, committer = GITHUB, signed = true, parents }) => {
      const entries = new Map(
        Object.entries(files).map(([path, content]) => {
          if (content === null) return [path, null] as const;
          const { mode, bytes } =
            typeof content === 'object' && 'mode' in content ? content : { mode: '100644' as const, bytes: content };
          return [path, { mode, sha: putBlob(store, Buffer.from(bytes)) }] as const;
        }),
      );
      const before = parents ?? (head === undefined ? [] : [head]);
      const tree = updateTree(store, trees.get(before[0] ?? ''), entries);
      const signature = signed ? '-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----' : null;
      head = putGitCommit(store, { tree, parents: before, author, committer, signature, message });
      trees.set(head, tree);
      return head;
    },
    write,
    verify: ({ slug, host = 'github.com' } = {}) =>
      verifyRange({ gitDir: write(), range: 'main', slug: slug ?? null, host }),
    remove: () => {
      for (const directory of made) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The shown change, written by hand, with keys in the order of RFC 8785. */
type Seen = {
  readonly after: readonly string[];
  readonly before: readonly string[];
  readonly new: readonly string[];
  readonly old: readonly string[];
};

/** The digest without product code: the JSON of these values is already canonical. */
export function digest(
  op: string,
  path: string,
  body: Seen | { readonly newBlob: string | null; readonly oldBlob: string | null },
  {
    from = null,
    modes = ['100644', '100644'],
  }: { from?: string | null; modes?: readonly [string | null, string | null] } = {},
): string {
  return createHash('sha256')
    .update(JSON.stringify(['countersign-v1', op, path, from, ...modes, body]))
    .digest('hex');
}

/** One group of trailers, with an approver. */
export function trailers(id: string, digestHex: string, range: string | null): string {
  const named = range === null ? [] : [`Countersign-Range: ${range}`];
  return [
    `Countersign-Proposal: ${id}`,
    `Countersign-Digest: sha256:${digestHex}`,
    ...named,
    'Approved-by: ana',
    '',
  ].join('\n');
}

export function blobId(bytes: string | Uint8Array): string {
  const content = Buffer.from(bytes);
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
