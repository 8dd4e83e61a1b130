import { type DriveOrder, drive } from './drive.ts';

// A process of its own, so that measuring does not take time from what is measured.
process.on('message', async (order: DriveOrder) => {
  try {
    process.send?.({ done: await drive(order) });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
