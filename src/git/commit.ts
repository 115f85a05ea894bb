/** Who made a commit, as it says itself: anybody who can push can write any name. */
export type Ident = { readonly name: string; readonly email: string };

/** A commit object. */
export type Commit = {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Ident;
  readonly committer: Ident;
  /** Whether it carries a signature; whose, and whether it is good, is not looked at. */
  readonly signed: boolean;
  readonly message: string;
};

/** Reads a commit from the bytes of its object; what it leaves out is empty. */
export function parseCommit(bytes: Uint8Array): Commit {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const end = text.indexOf('\n\n');
  // Lines that begin with a space go on with the header above, such as a signature.
  const headers = (end === -1 ? text : text.slice(0, end)).split('\n').filter((line) => !line.startsWith(' '));
  const valuesOf = (name: string): readonly string[] =>
    headers.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  return {
    tree: valuesOf('tree')[0] ?? '',
    parents: valuesOf('parent'),
    author: identOf(valuesOf('author')[0]),
    committer: identOf(valuesOf('committer')[0]),
    signed: valuesOf('gpgsig').length + valuesOf('gpgsig-sha256').length > 0,
    message: end === -1 ? '' : text.slice(end + 2),
  };
}

function identOf(value: string = ''): Ident {
  const [, name = '', email = ''] = /^([^<]*)<([^>]*)>/.exec(value) ?? [];
  return { name: name.replace(/ $/, ''), email };
}
