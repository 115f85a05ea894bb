import { Buffer } from 'node:buffer';
import { type ObjectStore, putObject, readObject, type Sha } from './object-store.ts';
import { rememberPerStore } from './remember.ts';

/** A name with a time; `seconds` since the epoch, always written in UTC. */
export type Signature = { readonly name: string; readonly email: string; readonly seconds: number };

/** A commit's content. `signature` is the armoured text GitHub adds to what it commits itself; null when unsigned. */
export type Commit = {
  readonly tree: Sha;
  readonly parents: readonly Sha[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly signature: string | null;
  readonly message: string;
};

/** Stores a commit. */
export function putCommit(store: ObjectStore, commit: Commit): Sha {
  return putObject(store, 'commit', Buffer.from(encodeCommit(commit)));
}

/** The commit with this id, or undefined when there is none. */
export const readCommit: (store: ObjectStore, sha: Sha) => Commit | undefined = rememberPerStore((store, sha = '') => {
  const bytes = readObject(store, 'commit', sha);
  return bytes === undefined ? undefined : decodeCommit(Buffer.from(bytes).toString('utf8'));
});

/** What git hashes and a signature signs: the commit without its signature. */
export function unsignedText(commit: Commit): string {
  return encodeCommit({ ...commit, signature: null });
}

function encodeCommit(commit: Commit): string {
  const headers = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${encodeSignature(commit.author)}`,
    `committer ${encodeSignature(commit.committer)}`,
    ...(commit.signature === null ? [] : [`gpgsig ${commit.signature.replaceAll('\n', '\n ')}`]),
  ];
  return `${headers.join('\n')}\n\n${commit.message}`;
}

/** Git forbids angle brackets and line breaks in a name or an address. */
function encodeSignature({ name, email, seconds }: Signature): string {
  return `${name.replace(/[<>\n]/g, '')} <${email.replace(/[<>\n]/g, '')}> ${seconds} +0000`;
}

function decodeCommit(text: string): Commit {
  const end = text.indexOf('\n\n');
  const headers = text.slice(0, end).replaceAll('\n ', '\0').split('\n');
  const values = (key: string): readonly string[] =>
    headers
      .filter((line) => line.startsWith(`${key} `))
      .map((line) => line.slice(key.length + 1).replaceAll('\0', '\n'));
  return {
    tree: values('tree')[0] ?? '',
    parents: values('parent'),
    author: decodeSignature(values('author')[0] ?? ''),
    committer: decodeSignature(values('committer')[0] ?? ''),
    signature: values('gpgsig')[0] ?? null,
    message: text.slice(end + 2),
  };
}

function decodeSignature(text: string): Signature {
  const match = /^(.*) <(.*)> (\d+) [+-]\d{4}$/.exec(text);
  return { name: match?.[1] ?? '', email: match?.[2] ?? '', seconds: Number(match?.[3] ?? 0) };
}
