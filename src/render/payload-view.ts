import { diffOf, type Payload } from '../change/payload.ts';
import { count } from './words.ts';

/** Where a change stands in its file, as far as its title says it: its line (1-based), and in how many places. */
export type Standing = { readonly line: number | null; readonly places: number };

/** What a payload comes to on the page: plain text, nothing of it escaped yet. */
export type PayloadView = {
  /** The title's first word. */
  readonly verb: string;
  /** What stands in brackets behind the path; null for nothing. */
  readonly extent: string | null;
  /** Sentences about what a reader might overlook. */
  readonly warnings: readonly string[];
  /** Null where there is no diff in lines: then the words say what would happen. */
  readonly diff: string | null;
  readonly words: string;
};

type PayloadOf<Type extends Payload['type']> = Extract<Payload, { type: Type }>;

/** How one type of payload is shown. */
type Rendering<Shown> = {
  readonly verb: string;
  readonly extent: (payload: Shown, standing: Standing) => string | null;
  readonly warnings: (payload: Shown) => readonly string[];
  /** What is to be seen of it without a diff; where it is missing, the description. */
  readonly words?: (payload: Shown) => string;
};

type Renderings = { readonly [Type in Payload['type']]: Rendering<PayloadOf<Type>> };

/** One row for each type; one that is missing here is shown by its description. */
const RENDERINGS: Renderings = {
  edit: {
    verb: 'Edit',
    extent: ({ match_line }, { line, places }) =>
      places > 1 ? `${places} places, the first at line ${line ?? match_line}` : `line ${line ?? match_line}`,
    warnings: () => [],
  },
  write: {
    verb: 'Write',
    extent: ({ content_lines: file_lines, content_bytes: file_bytes, file_exists }) =>
      `${size({ file_lines, file_bytes })}${file_exists ? '' : ', new file'}`,
    warnings: overwriting,
    words: ({ content_bytes }) =>
      `${noLines(content_bytes)} It comes back as the very file that was deleted, byte for byte; the comment of that deletion links to it.`,
  },
  delete: {
    verb: 'Delete',
    extent: size,
    warnings: () => [],
    words: ({ file_bytes }) => noLines(file_bytes),
  },
  move: {
    verb: 'Move',
    extent: size,
    warnings: () => [],
    words: ({ file_bytes }) => `Only the path changes: the ${count(file_bytes, 'byte')} and the mode stay as they are.`,
  },
  read: {
    verb: 'Read',
    extent: () => null,
    warnings: () => [],
  },
};

function noLines(bytes: number): string {
  return `This file is not text: there are no lines to show of its ${count(bytes, 'byte')}.`;
}

/** In lines, or, where it is not text, in bytes. */
function size({ file_lines, file_bytes }: Pick<PayloadOf<'delete'>, 'file_lines' | 'file_bytes'>): string {
  return file_lines === null ? `${count(file_bytes, 'byte')}, not text` : count(file_lines, 'line');
}

/** T11: the numbers stand without separators, as its text has them. */
function overwriting({ file_exists, existing_lines, content_lines }: PayloadOf<'write'>): readonly string[] {
  if (!file_exists || existing_lines === null || content_lines === null) return [];
  const lines = (amount: number): string => `${amount} line${amount === 1 ? '' : 's'}`;
  return [`This will overwrite existing file (was ${lines(existing_lines)}, now ${lines(content_lines)})`];
}

/** Turns a payload into what the page says of it. Knows nothing of where it is shown. */
export function viewPayload(payload: Payload, standing: Standing): PayloadView {
  const { description } = payload;
  if (!Object.hasOwn(RENDERINGS, payload.type))
    return { verb: 'Change', extent: null, warnings: [], diff: null, words: description };
  return viewAs(payload, standing);
}

function viewAs<Type extends Payload['type']>(
  payload: { [Each in Type]: PayloadOf<Each> & { readonly type: Each } }[Type],
  standing: Standing,
): PayloadView {
  const { verb, extent, warnings, words }: Rendering<PayloadOf<Type>> = RENDERINGS[payload.type];
  return {
    verb,
    extent: extent(payload, standing),
    warnings: warnings(payload),
    diff: diffOf(payload),
    words: words?.(payload) ?? payload.description,
  };
}
