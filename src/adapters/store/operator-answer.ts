import { storedAs } from '../../lib/trust.ts';
import type { OperatorAnswer, OperatorQuestion } from './operator.ts';

/** The JSON that a server of this version answered. */
export function readOperatorAnswer<Question extends OperatorQuestion>(
  _question: Question,
  json: unknown,
): OperatorAnswer<Question> {
  return storedAs(json);
}
