import { pluralize } from '../../../lib/format.ts';
import type { ChangePayload } from '../../edits/change.ts';

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
  /** Describes a change without a diff. */
  readonly text: string;
};

type PayloadOf<Type extends ChangePayload['type']> = Extract<ChangePayload, { type: Type }>;

/** Describes a payload for a page. One of any other type is shown by its description (S25). */
export function createPayloadView(payload: ChangePayload, position: ChangePosition): PayloadView {
  const { description: text } = payload;
  switch (payload.type) {
    case 'edit':
      return { verb: 'Edit', extent: editExtent(payload, position), warnings: [], text };
    case 'write':
      return {
        ...{ verb: 'Write', extent: writeExtent(payload, position), warnings: overwriteWarnings(payload) },
        text: `${binaryFileText(payload.content_bytes)} It is restored exactly as it was deleted; the comment of that deletion links to it.`,
      };
    case 'delete':
      return { verb: 'Delete', extent: formatSize(payload), warnings: [], text: binaryFileText(payload.file_bytes) };
    case 'move':
      return {
        ...{ verb: 'Move', extent: formatSize(payload), warnings: [] },
        text: `Only the path changes; the ${pluralize(payload.file_bytes, 'byte')} and the mode stay the same.`,
      };
    case 'read':
      return {
        ...{ verb: 'Read', extent: formatSize(payload), warnings: [] },
        text: 'An approval gives the agent this version of the file for the rest of the run; nothing is committed.',
      };
    default:
      return { verb: 'Change', extent: null, warnings: [], text };
  }
}

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
