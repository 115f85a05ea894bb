import { z } from 'zod';

/** `immediate` calls are answered at once; `gated` ones become proposals that wait for people. */
export type ToolKind = 'immediate' | 'gated';

/** A letter of a text that has a UTF-8 form is never half of a surrogate pair. */
const text = z.string().refine((value) => value.isWellFormed(), 'holds half of a surrogate pair');
const path = text.min(1).describe('Path of a file from the root of the repository, e.g. src/total.ts');
const glob = text
  .min(1)
  .max(500)
  .describe('Only paths that match from the root of the repository, e.g. src/**/*.ts; ** stands for any directories')
  .optional();
const reason = text
  .max(200)
  .describe('Why this change, for the person who decides: one sentence, at most 200 characters')
  .optional();
const lineNumber = z.number().int().min(1);

/** Every tool there is. Schemas, dispatch and documentation all come from this table. */
export const TOOLS = {
  edit_file: {
    kind: 'gated',
    description:
      'Propose to replace text in an existing file. old_string must be exactly the text of the file, white space included, and stand there once unless replace_all is true; quote enough lines around it. Line endings do not matter. An empty new_string deletes. Nothing changes until a person approves.',
    schema: z.strictObject({
      path,
      old_string: text.describe('Text as it stands in the file, without line numbers'),
      new_string: text.describe('Text to put in its place, taken literally'),
      replace_all: z.boolean().describe('Replace every occurrence; default false').optional(),
      reason,
    }),
  },
  write_file: {
    kind: 'gated',
    description:
      'Propose a new file, or all of the new content of an existing one, which must have been read in this run. Prefer edit_file for existing files. Nothing changes until a person approves.',
    schema: z.strictObject({ path, content: text.describe('All of the content'), reason }),
  },
  delete_file: {
    kind: 'gated',
    description:
      'Propose to delete a file. It need not have been read, but look at what would be lost. Nothing changes until a person approves.',
    schema: z.strictObject({ path, reason }),
  },
  move_file: {
    kind: 'gated',
    description:
      'Propose to give a file another path; its bytes and mode stay as they are. Nothing may stand at the new path; directories are made as needed. To change its text as well, propose that once the move is applied. Nothing changes until a person approves.',
    schema: z.strictObject({
      from: path.describe('Path of the file as it is now, from the root of the repository'),
      to: path.describe('Its new path, from the root of the repository'),
      reason,
    }),
  },
  read_file: {
    kind: 'immediate',
    description:
      'Read a text file at the head of the pull request. The first line of the result says which lines are shown; the text below it is exact. Ask for more lines with start and end.',
    schema: z.strictObject({
      path,
      start: lineNumber.describe('First line, from 1').optional(),
      end: lineNumber.describe('Last line, included').optional(),
    }),
  },
  list_files: {
    kind: 'immediate',
    description: 'List the files of the repository at the head of the pull request.',
    schema: z.strictObject({ glob }),
  },
  search: {
    kind: 'immediate',
    description:
      'Find lines that contain a text, at the head of the pull request. The pattern is literal text within one line, upper and lower case differ; it is not a regular expression.',
    schema: z.strictObject({ pattern: text.min(1).max(500).describe('Literal text to find'), glob }),
  },
} as const satisfies Readonly<Record<string, { kind: ToolKind; description: string; schema: z.ZodObject }>>;

export type ToolName = keyof typeof TOOLS;

/** A tool as it is described to the model: `parameters` is a JSON schema. */
export type ToolDefinition = {
  readonly name: ToolName;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
};

/** What the model is told about the tools, in the order of the table. */
export function toolDefinitions(): ToolDefinition[] {
  return TOOL_NAMES.map((name) => {
    const { $schema: _, ...parameters } = z.toJSONSchema(TOOLS[name].schema);
    return { name, description: TOOLS[name].description, parameters };
  });
}

export const TOOL_NAMES = [
  'edit_file',
  'write_file',
  'delete_file',
  'move_file',
  'read_file',
  'list_files',
  'search',
] as const satisfies readonly ToolName[];

/** The tools whose calls wait for people. */
export type GatedTool = { [Name in ToolName]: (typeof TOOLS)[Name]['kind'] extends 'gated' ? Name : never }[ToolName];

/** Whether a name is one of ours. */
export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(TOOLS, name);
}
