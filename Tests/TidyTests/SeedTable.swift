/// The behaviours of to-do and list apps that Tandem was asked for, and the tests that show each.
enum SeedTable {
    static let rows: [SeedRow] = fields + fetching + lists + days + carefulness

    private static let fields = [
        SeedRow(
            1, "title, notes and due date; fields of one's own beside them, which sync like any",
            [
                .test("ToDoTests/ToDoStoreTests", "roundTrip"),
                .test("ToDoTests/ToDoConflictTests", "setsMerge"),
                .script("test_todo", "test_fields_of_ones_own_keep_their_kind"),
                .scenario("merging/fields-of-ones-own"),
            ]),
        SeedRow(
            2, "project, done or not, start and finish time, note; start, stop and done",
            [
                .script("test_lists", "test_start_finish_project_and_notes_are_fields_of_a_to_do"),
                .test("ToDoTests/ToDoWordsTests", "apply"),
                .test("ToDoTests/TrackingTests", "oneTimer"),
                .script("test_todo", "test_one_timer_and_its_intervals"),
            ]),
        SeedRow(
            3, "edits are saved together or not at all, and a save of what is shown writes nothing",
            [
                .test("TandemTests/StoreTests", "transactions"),
                .test("ToDoTests/ToDoStoreTests", "roundTrip"),
                .script("test_todo", "test_an_unchanged_form_saves_nothing"),
            ]),
        SeedRow(
            4, "an editor left open over a deleted to-do saves nothing over it",
            [
                .test("TandemTests/StoreTests", "wasDeleted"),
                .test("ToDoTests/ToDoConflictTests", "staleSave"),
                .script(
                    "test_todo",
                    "test_deleted_meanwhile_it_is_not_resurrected_and_the_text_is_kept"),
                .scenario("deletes/editor-left-open"),
                .scenario("deletes/editor-left-open-while-a-delete-arrives"),
                .scenario("deletes/another-program-deletes-while-the-editor-is-open"),
            ]),
    ]

    private static let fetching = [
        SeedRow(
            5, "a fetch has a condition, an order and a limit; without a condition it takes all",
            [
                .test("StorageTests/FetchTests", "compare"),
                .test("StorageTests/FetchTests", "sort"),
                .test("TandemTests/StoreTests", "paths"),
            ]),
        SeedRow(
            6,
            "a live query tells inserts, deletes, moves and updates in batches, whoever makes them",
            [
                .test("StorageTests/LiveQueryTests", "property"),
                .test("StorageTests/LiveQueryTests", "fewSteps"),
                .test("TandemTests/LiveTests", "otherPrograms"),
                .test("TandemTests/SyncTests", "liveFromAfar"),
            ]),
        SeedRow(
            7, "live queries in sections, which are in order as the rows are",
            [
                .test("StorageTests/LiveQueryTests", "sections"),
                .test("StorageTests/LiveQueryTests", "property"),
                .test("TandemTests/PhotoLibraryTests", "sections"),
            ]),
        SeedRow(
            9, "found or made by an id from elsewhere: one record, also when two devices import",
            [
                .test("StorageTests/UpsertTests", "twice"),
                .test("StorageTests/UpsertTests", "twoDevices"),
                .test("TandemTests/SyncTests", "sameKeys"),
            ]),
        SeedRow(
            10, "a bulk import looks its ids up together",
            [
                .test("StorageTests/UpsertTests", "lookups"),
                .test("StorageTests/UpsertTests", "bulk"),
            ]),
        SeedRow(
            11, "related records are made on the way, seen from both ends, counted and let go",
            [
                .test("TandemTests/PhotoLibraryTests", "takeIn"),
                .test("TandemTests/StoreTests", "deleteRules"),
                .test("StorageTests/LiveQueryTests", "backward"),
            ]),
        SeedRow(
            13, "live queries can be made before the store is open, and hear when it is",
            [
                .test("TandemTests/LiveTests", "beforeOpening"),
                .test("StorageTests/LiveQueryTests", "beforeOpening"),
            ]),
        SeedRow(
            14, "a schema that has grown opens older data, and older programs keep what is new",
            [
                .test("TandemTests/EvolutionTests", "sameStore"),
                .test("TandemTests/EvolutionTests", "overTheWire"),
                .test("StorageTests/SchemaTests", "added"),
                .test("StorageTests/SchemaTests", "removed"),
                .scenario("pains/18-mixed-versions-drop-fields"),
            ]),
    ]

    private static let lists = [
        SeedRow(
            8, "lists go by due date, and a new earlier to-do drops into its place",
            [.script("test_lists", "test_a_new_to_do_that_is_due_earlier_drops_into_its_place")]),
        SeedRow(
            12, "syncs by itself: live, on a timer with some chance in it, and at the start",
            [
                .test("DevicesTests/DaemonTimerTests", "timer"),
                .test("DevicesTests/DaemonTimerTests", "jitter"),
                .script("test_daemon", "test_what_one_adds_is_on_the_other_without_any_command"),
                .script("test_daemon", "test_it_comes_back_when_the_relay_was_killed"),
            ]),
        SeedRow(
            15, "the last 20 that were looked at, the latest first, on each device for itself",
            [
                .script("test_todo", "test_the_last_twenty_that_were_looked_at"),
                .test("TandemTests/PhotoLibraryTests", "recents"),
                .test("TandemTests/SyncTests", "recents"),
            ]),
        SeedRow(
            21, "an edit in a filtered list changes that to-do, no neighbour, and makes no second",
            [
                .script(
                    "test_lists",
                    "test_an_edit_in_a_filtered_list_changes_that_to_do_and_no_other"),
                .script(
                    "test_lists",
                    "test_numbers_mean_the_same_to_dos_when_another_device_deletes_one"),
            ]),
        SeedRow(
            22,
            "a delete of many asks and can be called off; done is a switch; a form has its title first",
            [
                .script("test_lists", "test_a_delete_of_many_asks_and_can_be_called_off"),
                .script("test_lists", "test_done_and_reopened_as_often_as_one_likes"),
                .script("test_lists", "test_a_form_begins_with_the_title"),
            ]),
    ]

    private static let days = [
        SeedRow(
            16,
            "yesterday, today, tomorrow and the rest; last, this and next week; in the user's zone",
            [
                .script("test_todo", "test_each_view_takes_its_own"),
                .script(
                    "test_lists",
                    "test_the_last_this_and_the_next_week_begin_and_end_on_their_days"),
                .test("ToDoTests/ViewTests", "weeks"),
                .test("ToDoTests/ViewTests", "zones"),
            ]),
        SeedRow(
            17, "a day by its hours",
            [
                .test("ToDoTests/ViewTests", "agenda"),
                .script("test_todo", "test_agenda_and_calendar_show_a_day_and_a_month"),
            ]),
        SeedRow(
            18, "accomplished is what began and ended on its due day; a week is summed up",
            [
                .test("ToDoTests/ViewTests", "accomplished"),
                .test("ToDoTests/ViewTests", "week"),
                .script("test_todo", "test_the_week_counts_what_began_and_ended_on_its_day"),
            ]),
    ]

    private static let carefulness = [
        SeedRow(
            19, "the app's own archive, a property list, goes in and out",
            [
                .script("test_lists", "test_an_archive_of_the_app_goes_in_and_out"),
                .test("ToDoTests/ChronoListFormatTests", "appCoding"),
                .test("ToDoTests/ChronoListFormatTests", "python"),
            ]),
        SeedRow(
            20, "a load or save that fails says at which step, and nothing is dropped or made up",
            [
                .script("test_lists", "test_each_failing_step_is_named_and_leaves_all_as_it_was"),
                .test("ToDoTests/ChronoListFormatTests", "badEntry"),
                .script("test_todo", "test_many_lines_are_saved_together_or_not_at_all"),
            ]),
    ]
}
