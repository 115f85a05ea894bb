import { pluralize } from '../../../lib/format.ts';
import { type ChangePayload, unifiedDiffOf } from '../../edits/change.ts';

/** The parts of a title that come from the change and not from its payload. */
type ChangePosition = {
  /** Its first line, 1-based. */
  readonly line: number | null;
  readonly places: number;
  /** Whether it replaces no line. */
  readonly isInsertion: boolean;
  /** Whether it adds a file that can be run. */
  readonly isNewExecutable: boolean;
};

/** A payload as text for a page. Plain text, not yet escaped. */
export type PayloadView = {
  /** The title's first word. */
  readonly verb: string;
  /** Text in parentheses after the path; null for none. */
  readonly extent: string | null;
  /** Sentences about details that a reader might overlook. */
  readonly warnings: readonly string[];
  /** Unified diff; null where the change has none, and `text` describes it. */
  readonly diff: string | null;
  readonly text: string;
  /** The text once people have decided. */
  readonly decidedText: string;
};

type PayloadOf<Type extends ChangePayload['type']> = Extract<ChangePayload, { type: Type }>;

/** Rendering of one payload type. */
type PayloadRendering<Shown> = {
  readonly verb: string;
  readonly extent: (payload: Shown, position: ChangePosition) => string | null;
  readonly warnings: (payload: Shown) => readonly string[];
  /** Text for a payload without a diff; the description by default. */
  readonly text?: (payload: Shown) => string;
  /** The text once people have decided, where it reads otherwise. */
  readonly decidedText?: (payload: Shown) => string;
};

type PayloadRenderings = { readonly [Type in ChangePayload['type']]: PayloadRendering<PayloadOf<Type>> };

/** A payload of any other type is shown by its description (S25). */
const PAYLOAD_RENDERINGS: PayloadRenderings = {
  edit: {
    verb: 'Edit',
    extent: editExtent,
    warnings: () => [],
  },
  write: {
    verb: 'Write',
    extent: writeExtent,
    warnings: overwriteWarnings,
    text: ({ content_bytes }) =>
      `${binaryFileText(content_bytes)} It is restored exactly as it was deleted; the comment of that deletion links to it.`,
  },
  delete: {
    verb: 'Delete',
    extent: formatSize,
    warnings: () => [],
    text: ({ file_bytes }) => binaryFileText(file_bytes),
  },
  move: {
    verb: 'Move',
    extent: formatSize,
    warnings: () => [],
    text: ({ file_bytes }) => `Only the path changes; the ${pluralize(file_bytes, 'byte')} and the mode stay the same.`,
  },
  read: {
    verb: 'Read',
    extent: formatSize,
    warnings: () => [],
    text: ({ path }) =>
      `The agent asks to read ${path}. An approval gives the agent this version of the file for the rest of the run; nothing is committed.`,
    decidedText: ({ path }) => `The agent asked to read ${path}.`,
  },
};

function editExtent({ match_line }: PayloadOf<'edit'>, { line, places, isInsertion }: ChangePosition): string {
  const at = line ?? match_line;
  if (places > 1) return `${places} places, the first at line ${at}`;
  return isInsertion ? describeInsertion(at - 1) : `line ${at}`;
}

function writeExtent(payload: PayloadOf<'write'>, { isNewExecutable }: ChangePosition): string {
  const { content_lines: file_lines, content_bytes: file_bytes, file_exists } = payload;
  const kind = file_exists ? '' : isNewExecutable ? ', new executable file' : ', new file';
  return `${formatSize({ file_lines, file_bytes })}${kind}`;
}

/** `line` is the one above the new lines, 0 at the top. */
function describeInsertion(line: number): string {
  return line === 0 ? 'insert above line 1' : `insert below line ${line}`;
}

function binaryFileText(bytes: number): string {
  return `This file is not text, so its ${pluralize(bytes, 'byte')} cannot be shown.`;
}

/** Size in lines, or in bytes for a file that is not text. */
function formatSize({ file_lines, file_bytes }: Pick<PayloadOf<'delete'>, 'file_lines' | 'file_bytes'>): string {
  return file_lines === null ? `${pluralize(file_bytes, 'byte')}, not text` : pluralize(file_lines, 'line');
}

/** The exact text T11, whose numbers have no separators. */
function overwriteWarnings({ file_exists, existing_lines, content_lines }: PayloadOf<'write'>): readonly string[] {
  if (!file_exists || existing_lines === null || content_lines === null) return [];
  const lines = (amount: number): string => `${amount} line${amount === 1 ? '' : 's'}`;
  return [`This will overwrite existing file (was ${lines(existing_lines)}, now ${lines(content_lines)})`];
}

/** Describes a payload for a page. */
export function createPayloadView(payload: ChangePayload, position: ChangePosition): PayloadView {
  const { description } = payload;
  if (!Object.hasOwn(PAYLOAD_RENDERINGS, payload.type))
    return { verb: 'Change', extent: null, warnings: [], diff: null, text: description, decidedText: description };
  return createTypedView(payload, position);
}

function createTypedView<Type extends ChangePayload['type']>(
  payload: { [Each in Type]: PayloadOf<Each> & { readonly type: Each } }[Type],
  position: ChangePosition,
): PayloadView {
  const rendering: PayloadRendering<PayloadOf<Type>> = PAYLOAD_RENDERINGS[payload.type];
  const { verb, extent, warnings } = rendering;
  const text = rendering.text?.(payload) ?? payload.description;
  return {
    verb,
    extent: extent(payload, position),
    warnings: warnings(payload),
    diff: unifiedDiffOf(payload),
    text,
    decidedText: rendering.decidedText?.(payload) ?? text,
  };
}
