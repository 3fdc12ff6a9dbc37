"""Discovery rooms: data sets that belong together, so that what distracts from a task is data of its kind."""
