export const promptTypes = [
  'text',
  'text_area',
  'text_read_only',
  'text_area_read_only',
  'username',
  'email',
  'password',
  'number',
  'checkbox',
  'radio-button-group',
  'dropdown',
  'date',
  'date-time',
  'file',
  'separator',
  'hidden',
  'static',
  'xak-locale',
];

/** For these types the placeholder lists the choices. */
export const choiceTypes: ReadonlySet<string> = new Set(['radio-button-group', 'dropdown']);
