/**
 * Makes an element. Attributes that are functions listen to the event they are named after; false and null leave one
 * out. Text is always set as text, so nothing that comes from a server can become markup.
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export const byId = (id) => document.getElementById(id);

export const badge = (method) => element('span', { class: `method ${method}` }, method.toUpperCase());
