import { sentTime } from '../../elements/local-time.ts';
import type { Answer } from '../executor.ts';
import type { Prompt } from './prompt-field.tsx';

const takesNothing: ReadonlySet<string> = new Set(['static', 'separator']);

/** The answers to a screen of prompts, each in the format of its type. */
export async function readPrompts(prompts: readonly Prompt[], form: FormData): Promise<Answer> {
  const answers: Record<string, unknown> = {};
  for (const { field_key, type } of prompts) {
    if (!takesNothing.has(type)) answers[field_key] = await readValue(type, form.get(field_key));
  }
  return answers;
}

async function readValue(type: string, value: FormDataEntryValue | null): Promise<unknown> {
  if (type === 'checkbox') return value !== null;
  if (value instanceof File) return value.size > 0 ? dataUrlOf(value) : '';
  const text = value ?? '';
  if (type === 'date-time' && text !== '') return sentTime(text);
  if (type === 'number' && text !== '') return Number(text);
  return text;
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
