import type { Template } from '../template.ts';

export const stirlingPdf: Template = {
  id: 'stirling-pdf',
  name: 'Stirling PDF',
  about: 'Tools for PDF files',
  category: 'Files and notes',
  protocol: 'proxy',
  address: 'https://pdf.example.com',
  where: 'Environment of Stirling PDF',
  setup: `SECURITY_ENABLELOGIN=false`,
  docs: 'https://docs.stirlingpdf.com/',
  checked: { version: 'latest', date: '2026-11-20', how: 'read' },
};
