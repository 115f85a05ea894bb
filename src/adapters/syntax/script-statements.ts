import type { Node } from '@vscode/tree-sitter-wasm';

/**
 * The role of a statement of JavaScript or TypeScript in an outline, though it is no declaration: an assignment of code
 * or an export names something, a call with callbacks (`describe`, `define`) holds code, and a function that is called
 * at once is only around its body.
 */
type StatementRole = NamingStatement | { readonly kind: 'around'; readonly body: Node } | { readonly kind: 'other' };

/** A statement that has a line in an outline, and the nodes below it that can have more. */
export type NamingStatement = { readonly kind: 'named' | 'called'; readonly bodies: readonly Node[] };

const OTHER: StatementRole = { kind: 'other' };

/** Tells the role of an `expression_statement`; other nodes have none. */
export function statementRole(statement: Node): StatementRole {
  const expression = statement.type === 'expression_statement' ? unwrap(statement.namedChild(0)) : null;
  if (expression?.type === 'assignment_expression') return assignmentRole(expression);
  return expression?.type === 'call_expression' ? callRole(expression) : OTHER;
}

/** Whether a statement only names other modules (`const x = require('x').y`), as an import does. */
export function isRequire(declaration: Node): boolean {
  if (!/^(?:lexical|variable)_declaration$/.test(declaration.type)) return false;
  const declarators = declaration.namedChildren.filter((node) => node?.type === 'variable_declarator');
  return declarators.length > 0 && declarators.every((node) => startsWithRequire(node?.childForFieldName('value')));
}

/** Whether a declaration within code counts: what holds a value there matters to nobody else. */
export function declaresCode(declaration: Node): boolean {
  if (!/^(?:lexical|variable)_declaration$/.test(declaration.type)) return true;
  return declaration.namedChildren.some((node) => isCode(node?.childForFieldName('value')));
}

function assignmentRole(assignment: Node): StatementRole {
  let value = assignment.childForFieldName('right');
  while (value?.type === 'assignment_expression') value = value.childForFieldName('right');
  const bodies = value === null ? [] : memberLists(value);
  const isNamed = isCode(value) || bodies.length > 0 || isExports(assignment.childForFieldName('left'));
  return isNamed ? { kind: 'named', bodies } : OTHER;
}

function callRole(call: Node): StatementRole {
  const called = unwrap(call.childForFieldName('function'));
  const body = isCode(called) ? blockOf(called) : null;
  if (body !== null) return { kind: 'around', body };
  const callbacks = (call.childForFieldName('arguments')?.namedChildren ?? []).filter(isCode);
  return callbacks.length === 0 ? OTHER : { kind: 'called', bodies: callbacks.flatMap((one) => blockOf(one) ?? []) };
}

/** The nodes with the members of an assigned class, or of an object with code in it. */
function memberLists(value: Node): readonly Node[] {
  if (value.type === 'class') return [value.childForFieldName('body')].filter((body) => body !== null);
  return value.type === 'object' && value.namedChildren.some(isCodeMember) ? [value] : [];
}

/** Whether a member of an object is code. */
export function isCodeMember(node: Node | null): boolean {
  return node?.type === 'method_definition' || (node?.type === 'pair' && isCode(node.childForFieldName('value')));
}

function isCode(node: Node | null | undefined): node is Node {
  return node !== null && node !== undefined && CODE.test(node.type);
}

const CODE = /^(?:function_expression|arrow_function|generator_function|class)$/;

function blockOf(code: Node | null): Node | null {
  const body = code?.childForFieldName('body') ?? null;
  return body?.type === 'statement_block' ? body : null;
}

function unwrap(node: Node | null): Node | null {
  let inner = node;
  while (inner !== null && /^(?:parenthesized|await|unary)_expression$/.test(inner.type)) inner = inner.namedChild(0);
  return inner;
}

/** `exports.a` and `module.exports`, with members of any depth. */
function isExports(left: Node | null): boolean {
  let node = left;
  let member: string | null = null;
  while (node?.type === 'member_expression') {
    member = node.childForFieldName('property')?.text ?? null;
    node = node.childForFieldName('object');
  }
  if (node?.type !== 'identifier' || member === null) return false;
  return node.text === 'exports' || (node.text === 'module' && member === 'exports');
}

function startsWithRequire(value: Node | null | undefined): boolean {
  let node = value ?? null;
  let calls = 0;
  while (node?.type === 'member_expression' || node?.type === 'call_expression') {
    if (node.type === 'call_expression') calls += 1;
    node = node.childForFieldName(node.type === 'call_expression' ? 'function' : 'object');
  }
  return calls > 0 && node?.type === 'identifier' && node.text === 'require';
}
