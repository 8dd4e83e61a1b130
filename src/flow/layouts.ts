/** Where the form of a flow stands on its page. */
export const flowLayouts = ['stacked', 'content_left', 'content_right', 'sidebar_left', 'sidebar_right'];
