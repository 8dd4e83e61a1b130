import type { Field } from './field.ts';
import { type TextOptions, text } from './text.ts';

/** Finds the first syntax error of an expression without running it. */
export type CheckExpression = (source: string) => { readonly message: string; readonly line: number } | null;

/** The body of a function that an administrator writes; stored only if it parses. */
export function expression(check: CheckExpression, options: TextOptions<false> = {}): Field<string> {
  const field = text({
    ...options,
    check(source) {
      const error = check(source);
      return error && `Expression Syntax Error: ${error.message} (line ${error.line})`;
    },
  });
  return { ...field, kind: 'expression', orderable: false };
}
