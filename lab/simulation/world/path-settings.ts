/** The file that people must approve before it is read, in cases with `GATE_DOCS`. */
export const GATED_PATH = 'docs/notes.md';

/** Settings by which the agent changes nothing below `docs`. */
export const DENY_DOCS =
  'rules: [{tools: [edit_file, write_file, delete_file, move_file], paths: ["docs/**"], decide: deny}]\n';

/** Settings by which people approve each reading below `docs`. The first rule decides, not the last one. */
export const GATE_DOCS =
  'rules: [{tools: [read_file], paths: ["docs/**"], decide: ask}, {tools: [read_file], paths: ["**"], decide: allow}]\n';
